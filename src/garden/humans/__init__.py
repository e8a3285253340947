"""What people do with the message in their own hands: plays, and what their choices go by."""

"""`universal`: one policy for every attributed graph, without torch."""

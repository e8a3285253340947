"""`universal` on graphs and families that its training lacked, beside rules that need none."""

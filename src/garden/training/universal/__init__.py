"""Training `universal` on many graphs, and adapting it to one."""

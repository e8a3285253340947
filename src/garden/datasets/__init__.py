"""Getting graphs: real data, generators, files; and the search tasks made from them."""

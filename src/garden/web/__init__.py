"""The page: a local web server that shows messages finding their way (extra ``web``)."""

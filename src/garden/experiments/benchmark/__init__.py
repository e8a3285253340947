"""A benchmark that others can enter: frozen tasks, entries as files, tables of entries."""

"""Readers and writers of people's own tables: folders, CSV, Parquet, edge lists."""

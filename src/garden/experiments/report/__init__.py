"""Reporting experiments: intervals, tables, figures and the page."""

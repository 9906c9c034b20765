"""Turns on their way from the short tier to clusters, summaries and keys: chores."""

"""Aggregates in memory: opened, followed, written, evicted."""

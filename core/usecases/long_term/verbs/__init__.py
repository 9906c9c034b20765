"""Long-term memory: one verb a file."""

"""What a caller may do with banks: one verb a file."""

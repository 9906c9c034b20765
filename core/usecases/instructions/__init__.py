"""What a caller may do with instruction documents: one verb a file."""

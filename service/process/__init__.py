"""What belongs to the process rather than to any memory: its allocator, collector, threads, logs and rounds."""

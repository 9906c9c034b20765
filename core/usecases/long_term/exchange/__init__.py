"""Collections as files, out and in."""

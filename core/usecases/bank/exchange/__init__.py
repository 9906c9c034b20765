"""Banks and records as files, out and in."""

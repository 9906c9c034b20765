"""What the service answered, kept as digests: refusals at every bound, and calls recorded in one process."""

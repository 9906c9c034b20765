"""What core asks of the world, as small Protocols whose docstrings name their errors."""

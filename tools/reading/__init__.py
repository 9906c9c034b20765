"""Makes the Reader: `python -m tools.reading.train` (README.md)."""

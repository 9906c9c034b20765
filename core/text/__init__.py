"""Text without I/O: tokenising, sentences, segments. Law: imports nothing of the project above `ids` and `model`."""

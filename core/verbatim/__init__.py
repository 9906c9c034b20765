"""What was said, word for word, in order; and how it is found."""

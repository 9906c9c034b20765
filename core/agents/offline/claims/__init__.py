"""What a sentence claims, and how two claims compare. English and Chinese, by words and their order."""

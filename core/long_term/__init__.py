"""Long-term memory: records of one user under one name, ranked, judged and forgotten."""

"""What a caller may do with users, and what writing for one requires."""

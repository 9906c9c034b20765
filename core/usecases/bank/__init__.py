"""Banks: verbs, and the rooms of what they need."""

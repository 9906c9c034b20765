"""Long-term memory: verbs, judging, exchange."""

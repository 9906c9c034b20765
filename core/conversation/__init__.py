"""One conversation in memory: turns word for word, in tiers."""

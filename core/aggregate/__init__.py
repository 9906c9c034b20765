"""What every unit with a head of its own shares: keys, changes, their written form."""

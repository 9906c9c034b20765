"""What is done unasked: chores that follow from the state of aggregates."""

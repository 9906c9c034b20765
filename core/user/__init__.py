"""Users: whether their memory is on, and how long it is kept."""

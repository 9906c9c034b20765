"""Messages and core's values, field by field, by name and type."""

"""What callers can ask for, one verb per file. Law: no wire types; the world only through `core.ports`."""

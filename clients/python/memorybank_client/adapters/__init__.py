"""How agent frameworks take the memory into their loops."""

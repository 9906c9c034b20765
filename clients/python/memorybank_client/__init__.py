"""The Python client of Agentic Memory Bank: it speaks the contract and imports nothing of the server."""

"""The wire contract of Agentic Memory Bank; versions are its subpackages."""

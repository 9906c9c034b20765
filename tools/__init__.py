"""Scripts for developers. Nothing here runs in the service."""

"""Assembling memories into a prompt under a token budget."""

"""Instruction documents of one owner, and what a run of an agent has fixed of them."""

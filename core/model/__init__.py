"""Frozen values: what a bank is made of. Law: no behaviour beyond derived properties; imports `ids` only."""

"""Approximate and exact indexes over keys of any kind: vectors and words."""

"""Agents that need no LLM and no key: deterministic, extractive, English and Chinese."""

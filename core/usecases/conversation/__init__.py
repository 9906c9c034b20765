"""Conversations: verbs, tiers, learning."""

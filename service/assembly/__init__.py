"""Puts the process together from its settings: stores, models, agents, servicers, periodic tasks."""

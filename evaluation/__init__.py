"""Measuring what the service finds: sets of questions with their evidence, asked of real banks.

Law: everything goes through the use cases that the API calls, over the configured embedder and agents. A
figure comes with the settings it was measured under, and with how sure it is.
"""

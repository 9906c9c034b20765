"""The parts of the offline Judge (`core.agents.offline.judge`), one for each of its steps.

`sentences` reads a topic's sentences in their contexts, `context` says what these allow to conclude, `comparing` which
sentences are compared and what the likelihoods come to, `opinions` makes one opinion of them, `relation` finds the
topics that concern each other.
"""

"""The parts of the offline Judge (`core.agents.offline.judge`), one for each of its steps.

`topic_sentences` reads a topic's sentences. `conflict` finds the sentences of two topics that contradict each other,
`merge` the topics of which one holds the other, `relation` those that concern each other. What two sentences say of
one another is decided in `core.agents.offline.claims`.
"""

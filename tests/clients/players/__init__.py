"""A player of transcripts in each language: `PLAYER ADDRESS TRANSCRIPT VARIABLES`, an answer a line, as JSON.

A step calls a method; or, as `turn`, is told to the one who listens, and waits for a line of theirs. In a step
`${name}` stands for a variable; `save` keeps fields of its last answer as further ones. `take`: so many answers of a
stream, which is then left. `last`: of the answers the last alone is told. `show`: of an answer these fields alone.
`timeout`: seconds; `key`: another API key; `error`: the reason that the step is to be refused for.
"""

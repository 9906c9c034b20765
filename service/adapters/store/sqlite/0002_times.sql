-- The latest time that any process has told: what a clock far ahead of it would forget is kept.
CREATE TABLE times (
    what TEXT NOT NULL PRIMARY KEY,
    time INTEGER NOT NULL
) STRICT;

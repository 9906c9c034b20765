-- The latest time that any process has told: what a clock far ahead of it would forget is kept.
CREATE TABLE times (
    what text COLLATE "C" PRIMARY KEY,
    time bigint NOT NULL
);

-- What was taken back of banks (core/model/interaction_retraction.py), with the steps that bring it back.
CREATE TABLE retractions (
    tenant          TEXT NOT NULL,
    bank_id         TEXT NOT NULL,
    retraction_id   TEXT NOT NULL,
    state           TEXT NOT NULL,
    create_time     INTEGER NOT NULL,
    interaction_ids TEXT NOT NULL,
    nodes           INTEGER NOT NULL,
    conflicts       INTEGER NOT NULL,
    source          TEXT NOT NULL,
    since           INTEGER,
    until           INTEGER,
    reason          TEXT NOT NULL,
    close_time      INTEGER,
    waiting         TEXT NOT NULL,
    held            TEXT NOT NULL,
    checksum        INTEGER,
    PRIMARY KEY (tenant, bank_id, retraction_id)
) STRICT;

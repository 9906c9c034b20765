-- Segments with the same words as a node's evidence (core/model/copies.py): counted, and the first of them kept.
CREATE TABLE copies (
    tenant     TEXT NOT NULL,
    bank_id    TEXT NOT NULL,
    node_id    TEXT NOT NULL,
    count      INTEGER NOT NULL,
    first_time INTEGER NOT NULL,
    last_time  INTEGER NOT NULL,
    refs       TEXT NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (tenant, bank_id, node_id),
    FOREIGN KEY (tenant, bank_id, node_id) REFERENCES nodes ON DELETE CASCADE
) STRICT;

-- Segments with the same words as a node's evidence (core/model/copies.py): counted, and the first of them kept.
CREATE TABLE copies (
    tenant     text COLLATE "C" NOT NULL,
    bank_id    text COLLATE "C" NOT NULL,
    node_id    text COLLATE "C" NOT NULL,
    count      bigint NOT NULL,
    first_time bigint NOT NULL,
    last_time  bigint NOT NULL,
    refs       text NOT NULL,
    checksum   bigint,
    PRIMARY KEY (tenant, bank_id, node_id),
    FOREIGN KEY (tenant, bank_id, node_id) REFERENCES nodes ON DELETE CASCADE
);

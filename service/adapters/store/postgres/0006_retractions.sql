-- What was taken back of banks (core/model/interaction_retraction.py), with the steps that bring it back.
CREATE TABLE retractions (
    tenant          text COLLATE "C" NOT NULL,
    bank_id         text COLLATE "C" NOT NULL,
    retraction_id   text COLLATE "C" NOT NULL,
    state           text NOT NULL,
    create_time     bigint NOT NULL,
    interaction_ids text NOT NULL,
    nodes           bigint NOT NULL,
    conflicts       bigint NOT NULL,
    source          text NOT NULL,
    since           bigint,
    until           bigint,
    reason          text NOT NULL,
    close_time      bigint,
    waiting         text NOT NULL,
    held            text NOT NULL,
    checksum        bigint,
    PRIMARY KEY (tenant, bank_id, retraction_id)
);

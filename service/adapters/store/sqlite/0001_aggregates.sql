-- The first schema: aggregates of every kind with their change feed; the rows of banks, and the items of all other kinds.
--
-- Times are integer microseconds since 1970 UTC. Lists, mappings, records and items are JSON text. Vectors
-- (`embedding`) are little-endian float32. Columns carry the names of the values' fields. Rows refer to their owner by
-- its key alone: every write proves in its own transaction that the owner is there, and where it stands.

CREATE TABLE aggregates (
    tenant      TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    uid         TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    head        TEXT NOT NULL,  -- change_id of the newest change: the fence; empty while the rows are being purged
    record      TEXT NOT NULL,  -- JSON; the columns below show what is asked for by name
    goal        TEXT AS (json_extract(record, '$.goal')) VIRTUAL,
    user        TEXT AS (json_extract(record, '$.user')) VIRTUAL,
    collection  TEXT AS (json_extract(record, '$.collection')) VIRTUAL,
    labels      TEXT AS (json_extract(record, '$.labels')) VIRTUAL,
    state       TEXT AS (json_extract(record, '$.state')) VIRTUAL,
    enabled     INTEGER AS (json_extract(record, '$.enabled')) VIRTUAL,
    generation  INTEGER AS (json_extract(record, '$.generation')) VIRTUAL,
    ttl         INTEGER AS (json_extract(record, '$.ttl')) VIRTUAL,
    finish_time INTEGER AS (json_extract(record, '$.finish_time')) VIRTUAL,
    due_time    INTEGER AS (json_extract(record, '$.due_time')) VIRTUAL,
    purge_time  INTEGER AS (json_extract(record, '$.purge_time')) VIRTUAL,
    PRIMARY KEY (tenant, kind, name)
) STRICT;

CREATE INDEX aggregates_finished ON aggregates (finish_time) WHERE finish_time IS NOT NULL;
CREATE INDEX aggregates_due ON aggregates (due_time) WHERE due_time IS NOT NULL;
CREATE INDEX aggregates_to_purge ON aggregates (purge_time) WHERE purge_time IS NOT NULL;
CREATE INDEX aggregates_being_purged ON aggregates (head) WHERE head = '';
CREATE INDEX aggregates_of_user ON aggregates (tenant, user, kind, name) WHERE user <> '';

CREATE TABLE tenants (  -- revisions never come again within one: an aggregate begins above all that were purged
    tenant TEXT NOT NULL PRIMARY KEY,
    floor  INTEGER NOT NULL
) STRICT;

CREATE TABLE claims (  -- of processes, on background work: the digest of its name, and until when in seconds since 1970
    what   TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    until  REAL NOT NULL
) STRICT;

CREATE TABLE changes (
    tenant    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    name      TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    change_id TEXT NOT NULL,
    parent    TEXT,
    time      INTEGER NOT NULL,
    steps     TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, name, revision)
) STRICT;

CREATE INDEX changes_by_time ON changes (time);

CREATE TABLE requests (
    tenant      TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    verb        TEXT NOT NULL,
    digest      TEXT NOT NULL,
    create_time INTEGER NOT NULL,
    answer      BLOB NOT NULL,
    revision    INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind, name, request_id)
) STRICT;

CREATE INDEX requests_by_time ON requests (create_time);

CREATE TABLE items (  -- the values of every kind but the bank, by part
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    part   TEXT NOT NULL,
    item   TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, name, part, item)
) STRICT;

CREATE TABLE vectors (  -- derived of items, so not in the feed
    tenant    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    name      TEXT NOT NULL,
    part      TEXT NOT NULL,
    item      TEXT NOT NULL,
    space     TEXT NOT NULL,  -- of the embedder that made it: one of another space counts as missing
    embedding BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, name, part, item)
) STRICT;

-- ---- banks ----

CREATE TABLE insights (
    tenant    TEXT NOT NULL,
    bank_id   TEXT NOT NULL,
    goal      TEXT NOT NULL,
    pending   TEXT NOT NULL,
    finished  INTEGER NOT NULL,
    outcome   TEXT,
    reason    TEXT NOT NULL,
    earlier_tasks  INTEGER NOT NULL,
    digest         TEXT NOT NULL,
    digested_tasks INTEGER NOT NULL,
    PRIMARY KEY (tenant, bank_id)
) STRICT;

CREATE TABLE completed_tasks (  -- of the insight document: a step adds rows, and rewrites none
    tenant      TEXT NOT NULL,
    bank_id     TEXT NOT NULL,
    "index"     INTEGER NOT NULL,
    task_id     TEXT NOT NULL,
    type        TEXT NOT NULL,
    description TEXT NOT NULL,
    status      TEXT NOT NULL,
    context     TEXT NOT NULL,
    retry_of    TEXT NOT NULL,
    PRIMARY KEY (tenant, bank_id, "index")
) STRICT;

CREATE TABLE interactions (
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    text           TEXT NOT NULL,  -- verbatim
    event_time     INTEGER NOT NULL,
    create_time    INTEGER NOT NULL,
    origin         TEXT NOT NULL,
    source         TEXT NOT NULL,
    labels         TEXT NOT NULL,
    task           TEXT,
    PRIMARY KEY (tenant, bank_id, interaction_id)
) STRICT;

CREATE TABLE segments (
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    "index"        INTEGER NOT NULL,
    start          INTEGER NOT NULL,  -- code points into the interaction's text
    "end"          INTEGER NOT NULL,
    message_id     TEXT NOT NULL,
    role           TEXT NOT NULL,
    speaker        TEXT NOT NULL,
    event_time     INTEGER,
    embedding      BLOB,  -- NULL until made; derived, so not in the feed
    PRIMARY KEY (tenant, bank_id, interaction_id, "index"),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
) STRICT;

CREATE TABLE refutations (  -- words of segments that verdicts speak against
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    "index"        INTEGER NOT NULL,
    start          INTEGER NOT NULL,  -- code points into the segment's text
    "end"          INTEGER NOT NULL,  -- 0: the segment's end
    conflict_id    TEXT NOT NULL,
    PRIMARY KEY (tenant, bank_id, interaction_id, "index", start, "end", conflict_id),
    FOREIGN KEY (tenant, bank_id, interaction_id, "index") REFERENCES segments
) STRICT;

CREATE TABLE interaction_attachments (
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    "index"        INTEGER NOT NULL,
    attachment_id  TEXT NOT NULL,
    type           TEXT NOT NULL,
    uri            TEXT NOT NULL,
    media_type     TEXT NOT NULL,
    size           INTEGER NOT NULL,
    stored         INTEGER NOT NULL,
    PRIMARY KEY (tenant, bank_id, interaction_id, "index"),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
) STRICT;

CREATE TABLE attachments (  -- uploaded ahead of the interactions that name them
    tenant        TEXT NOT NULL,
    bank_id       TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    type          TEXT NOT NULL,
    uri           TEXT NOT NULL,
    media_type    TEXT NOT NULL,
    size          INTEGER NOT NULL,
    stored        INTEGER NOT NULL,
    PRIMARY KEY (tenant, bank_id, attachment_id)
) STRICT;

CREATE TABLE structurings (
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    purpose        TEXT NOT NULL,
    state          TEXT NOT NULL,
    update_time    INTEGER NOT NULL,
    planned        INTEGER NOT NULL,
    next_segment   INTEGER NOT NULL,
    conflict_id    TEXT,
    problem        TEXT NOT NULL,
    insight        TEXT,
    completed_tasks INTEGER NOT NULL,
    usage          TEXT,
    revision       INTEGER NOT NULL,
    verdict_type   TEXT,
    PRIMARY KEY (tenant, bank_id, interaction_id),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
) STRICT;

CREATE INDEX structurings_left ON structurings (update_time, tenant, bank_id, interaction_id) WHERE state <> 'done';

CREATE TABLE clusters (
    tenant         TEXT NOT NULL,
    bank_id        TEXT NOT NULL,
    interaction_id TEXT NOT NULL,
    number         INTEGER NOT NULL,
    segments       TEXT NOT NULL,
    context        TEXT NOT NULL,
    keywords       TEXT NOT NULL,
    outcome        TEXT,
    PRIMARY KEY (tenant, bank_id, interaction_id, number),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
) STRICT;

CREATE TABLE nodes (
    tenant          TEXT NOT NULL,
    bank_id         TEXT NOT NULL,
    node_id         TEXT NOT NULL,
    summary         TEXT NOT NULL,
    context         TEXT NOT NULL,
    keywords        TEXT NOT NULL,
    base_context    TEXT NOT NULL,
    base_keywords   TEXT NOT NULL,
    event_time      INTEGER NOT NULL,
    create_time     INTEGER NOT NULL,
    update_time     INTEGER NOT NULL,
    state           TEXT NOT NULL,
    labels          TEXT NOT NULL,
    source          TEXT NOT NULL,
    interaction_ids TEXT NOT NULL,
    segments        TEXT NOT NULL,
    revision        INTEGER NOT NULL,
    embedding       BLOB,
    PRIMARY KEY (tenant, bank_id, node_id)
) STRICT;

CREATE TABLE edges (
    tenant        TEXT NOT NULL,
    bank_id       TEXT NOT NULL,
    node_id       TEXT NOT NULL,
    other_node_id TEXT NOT NULL,
    PRIMARY KEY (tenant, bank_id, node_id, other_node_id),
    CHECK (node_id < other_node_id),  -- undirected: one row an edge
    FOREIGN KEY (tenant, bank_id, node_id) REFERENCES nodes ON DELETE CASCADE,
    FOREIGN KEY (tenant, bank_id, other_node_id) REFERENCES nodes ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_by_other ON edges (tenant, bank_id, other_node_id);

CREATE TABLE merges (
    tenant      TEXT NOT NULL,
    bank_id     TEXT NOT NULL,
    "index"     INTEGER NOT NULL,  -- the order in which they happened
    "into"      TEXT NOT NULL,
    absorbed    TEXT NOT NULL,
    reason      TEXT NOT NULL,
    description TEXT NOT NULL,
    time        INTEGER NOT NULL,
    conflict_id TEXT,
    verdict     TEXT NOT NULL,
    PRIMARY KEY (tenant, bank_id, "index")
) STRICT;

CREATE TABLE conflicts (
    tenant                 TEXT NOT NULL,
    bank_id                TEXT NOT NULL,
    conflict_id            TEXT NOT NULL,
    sides                  TEXT NOT NULL,
    description            TEXT NOT NULL,
    confidence             REAL NOT NULL,
    reasoning              TEXT NOT NULL,
    status                 TEXT NOT NULL,
    create_time            INTEGER NOT NULL,
    close_time             INTEGER,
    verdict                TEXT NOT NULL,
    verdict_interaction_id TEXT,
    node_id                TEXT,
    PRIMARY KEY (tenant, bank_id, conflict_id)
) STRICT;

CREATE TABLE settled_pairs (
    tenant        TEXT NOT NULL,
    bank_id       TEXT NOT NULL,
    node_id       TEXT NOT NULL,
    other_node_id TEXT NOT NULL,
    PRIMARY KEY (tenant, bank_id, node_id, other_node_id),
    CHECK (node_id < other_node_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX settled_pairs_by_other ON settled_pairs (tenant, bank_id, other_node_id);

-- ---- the file ----

-- A row for every purge whose traces may still lie in the file's unused parts or in its log.
CREATE TABLE unscrubbed (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;

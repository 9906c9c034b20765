-- The first schema, as that of SQLite: aggregates of every kind with their change feed; the rows of banks, and the items
-- of all other kinds.
--
-- Times are integer microseconds since 1970 UTC. Lists, mappings, records and items are JSON text. Vectors
-- (`embedding`) are little-endian float32. Columns carry the names of the values' fields. Ids sort by their bytes, whatever
-- the database's collation is.

CREATE TABLE aggregates (
    tenant      text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    uid         text COLLATE "C" NOT NULL,
    revision    bigint NOT NULL,
    head        text COLLATE "C" NOT NULL,  -- change_id of the newest change: the fence; empty while the rows are being purged
    record      text NOT NULL,  -- JSON; the columns below show what is asked for by name
    "user"      text COLLATE "C" GENERATED ALWAYS AS ((record::json ->> 'user')::text) STORED,
    collection  text COLLATE "C" GENERATED ALWAYS AS ((record::json ->> 'collection')::text) STORED,
    labels      text GENERATED ALWAYS AS ((record::json -> 'labels')::text) STORED,
    state       text COLLATE "C" GENERATED ALWAYS AS ((record::json ->> 'state')::text) STORED,
    enabled     boolean GENERATED ALWAYS AS ((record::json ->> 'enabled')::boolean) STORED,
    generation  bigint GENERATED ALWAYS AS ((record::json ->> 'generation')::bigint) STORED,
    ttl         bigint GENERATED ALWAYS AS ((record::json ->> 'ttl')::bigint) STORED,
    finish_time bigint GENERATED ALWAYS AS ((record::json ->> 'finish_time')::bigint) STORED,
    due_time    bigint GENERATED ALWAYS AS ((record::json ->> 'due_time')::bigint) STORED,
    purge_time  bigint GENERATED ALWAYS AS ((record::json ->> 'purge_time')::bigint) STORED,
    PRIMARY KEY (tenant, kind, name)
) WITH (fillfactor = 80);  -- every append moves the head: the new row fits beside the old one

CREATE INDEX aggregates_finished ON aggregates (finish_time) WHERE finish_time IS NOT NULL;
CREATE INDEX aggregates_due ON aggregates (due_time) WHERE due_time IS NOT NULL;
CREATE INDEX aggregates_to_purge ON aggregates (purge_time) WHERE purge_time IS NOT NULL;
CREATE INDEX aggregates_being_purged ON aggregates (head) WHERE head = '';
CREATE INDEX aggregates_of_user ON aggregates (tenant, "user", kind, name) WHERE "user" <> '';

CREATE TABLE tenants (  -- revisions never come again within one: an aggregate begins above all that were purged
    tenant text COLLATE "C" PRIMARY KEY,
    floor  bigint NOT NULL
);

CREATE TABLE claims (  -- of processes, on background work: the digest of its name, and until when in seconds since 1970
    what   text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until  double precision NOT NULL
);

CREATE TABLE changes (
    tenant    text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    revision  bigint NOT NULL,
    change_id text COLLATE "C" NOT NULL,
    parent    text COLLATE "C",
    time      bigint NOT NULL,
    steps     text NOT NULL,
    PRIMARY KEY (tenant, kind, name, revision)
);

CREATE INDEX changes_by_time ON changes (time);

CREATE TABLE requests (
    tenant      text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    request_id  text COLLATE "C" NOT NULL,
    verb        text NOT NULL,
    digest      text NOT NULL,
    create_time bigint NOT NULL,
    answer      bytea NOT NULL,
    revision    bigint NOT NULL,
    PRIMARY KEY (tenant, kind, name, request_id)
);

CREATE INDEX requests_by_time ON requests (create_time);

CREATE TABLE items (  -- the values of every kind but the bank, by part
    tenant text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,
    name   text COLLATE "C" NOT NULL,
    part   text COLLATE "C" NOT NULL,
    item   text COLLATE "C" NOT NULL,
    value  text NOT NULL,
    PRIMARY KEY (tenant, kind, name, part, item)
);

CREATE TABLE vectors (  -- derived of items, so not in the feed
    tenant    text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    part      text COLLATE "C" NOT NULL,
    item      text COLLATE "C" NOT NULL,
    space     text COLLATE "C" NOT NULL,  -- of the embedder that made it: one of another space counts as missing
    embedding bytea NOT NULL,
    PRIMARY KEY (tenant, kind, name, part, item)
);

-- ---- banks ----

CREATE TABLE insights (
    tenant    text COLLATE "C" NOT NULL,
    bank_id   text COLLATE "C" NOT NULL,
    goal      text NOT NULL,
    pending   text NOT NULL,
    finished  boolean NOT NULL,
    outcome   text,
    reason    text NOT NULL,
    earlier_tasks  bigint NOT NULL,
    digest         text NOT NULL,
    digested_tasks bigint NOT NULL,
    PRIMARY KEY (tenant, bank_id)
);

CREATE TABLE completed_tasks (  -- of the insight document: a step adds rows, and rewrites none
    tenant      text COLLATE "C" NOT NULL,
    bank_id     text COLLATE "C" NOT NULL,
    "index"     bigint NOT NULL,
    task_id     text COLLATE "C" NOT NULL,
    type        text NOT NULL,
    description text NOT NULL,
    status      text NOT NULL,
    context     text NOT NULL,
    retry_of    text NOT NULL,
    PRIMARY KEY (tenant, bank_id, "index")
);

CREATE TABLE interactions (
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    text           text NOT NULL,  -- verbatim
    event_time     bigint NOT NULL,
    create_time    bigint NOT NULL,
    origin         text NOT NULL,
    source         text NOT NULL,
    labels         text NOT NULL,
    task           text,
    PRIMARY KEY (tenant, bank_id, interaction_id)
);

CREATE TABLE segments (
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    "index"        bigint NOT NULL,
    start          bigint NOT NULL,  -- code points into the interaction's text
    "end"          bigint NOT NULL,
    message_id     text COLLATE "C" NOT NULL,
    role           text NOT NULL,
    speaker        text NOT NULL,
    event_time     bigint,
    embedding      bytea,  -- NULL until made; derived, so not in the feed
    PRIMARY KEY (tenant, bank_id, interaction_id, "index"),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
);

CREATE TABLE refutations (  -- words of segments that verdicts speak against
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    "index"        bigint NOT NULL,
    start          bigint NOT NULL,  -- code points into the segment's text
    "end"          bigint NOT NULL,  -- 0: the segment's end
    conflict_id    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, bank_id, interaction_id, "index", start, "end", conflict_id),
    FOREIGN KEY (tenant, bank_id, interaction_id, "index") REFERENCES segments
);

CREATE TABLE interaction_attachments (
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    "index"        bigint NOT NULL,
    attachment_id  text COLLATE "C" NOT NULL,
    type           text NOT NULL,
    uri            text NOT NULL,
    media_type     text NOT NULL,
    size           bigint NOT NULL,
    stored         boolean NOT NULL,
    PRIMARY KEY (tenant, bank_id, interaction_id, "index"),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
);

CREATE TABLE attachments (  -- uploaded ahead of the interactions that name them
    tenant        text COLLATE "C" NOT NULL,
    bank_id       text COLLATE "C" NOT NULL,
    attachment_id text COLLATE "C" NOT NULL,
    type          text NOT NULL,
    uri           text NOT NULL,
    media_type    text NOT NULL,
    size          bigint NOT NULL,
    stored        boolean NOT NULL,
    PRIMARY KEY (tenant, bank_id, attachment_id)
);

CREATE TABLE structurings (
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    purpose        text NOT NULL,
    state          text NOT NULL,
    update_time    bigint NOT NULL,
    planned        boolean NOT NULL,
    next_segment   bigint NOT NULL,
    conflict_id    text COLLATE "C",
    problem        text NOT NULL,
    insight        text,
    completed_tasks bigint NOT NULL,
    usage          text,
    revision       bigint NOT NULL,
    verdict_type   text,
    PRIMARY KEY (tenant, bank_id, interaction_id),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
);

CREATE INDEX structurings_left ON structurings (update_time, tenant, bank_id, interaction_id) WHERE state <> 'done';

CREATE TABLE clusters (
    tenant         text COLLATE "C" NOT NULL,
    bank_id        text COLLATE "C" NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    number         bigint NOT NULL,
    segments       text NOT NULL,
    context        text NOT NULL,
    keywords       text NOT NULL,
    outcome        text,
    PRIMARY KEY (tenant, bank_id, interaction_id, number),
    FOREIGN KEY (tenant, bank_id, interaction_id) REFERENCES interactions
);

CREATE TABLE nodes (
    tenant          text COLLATE "C" NOT NULL,
    bank_id         text COLLATE "C" NOT NULL,
    node_id         text COLLATE "C" NOT NULL,
    summary         text NOT NULL,
    context         text NOT NULL,
    keywords        text NOT NULL,
    base_context    text NOT NULL,
    base_keywords   text NOT NULL,
    event_time      bigint NOT NULL,
    create_time     bigint NOT NULL,
    update_time     bigint NOT NULL,
    state           text NOT NULL,
    labels          text NOT NULL,
    source          text NOT NULL,
    interaction_ids text NOT NULL,
    segments        text NOT NULL,
    revision        bigint NOT NULL,
    embedding       bytea,
    PRIMARY KEY (tenant, bank_id, node_id)
);

CREATE TABLE edges (
    tenant        text COLLATE "C" NOT NULL,
    bank_id       text COLLATE "C" NOT NULL,
    node_id       text COLLATE "C" NOT NULL,
    other_node_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, bank_id, node_id, other_node_id),
    CHECK (node_id < other_node_id),  -- undirected: one row an edge
    FOREIGN KEY (tenant, bank_id, node_id) REFERENCES nodes ON DELETE CASCADE,
    FOREIGN KEY (tenant, bank_id, other_node_id) REFERENCES nodes ON DELETE CASCADE
);

CREATE INDEX edges_by_other ON edges (tenant, bank_id, other_node_id);

CREATE TABLE merges (
    tenant      text COLLATE "C" NOT NULL,
    bank_id     text COLLATE "C" NOT NULL,
    "index"     bigint NOT NULL,  -- the order in which they happened
    "into"      text COLLATE "C" NOT NULL,
    absorbed    text NOT NULL,
    reason      text NOT NULL,
    description text NOT NULL,
    time        bigint NOT NULL,
    conflict_id text COLLATE "C",
    verdict     text NOT NULL,
    PRIMARY KEY (tenant, bank_id, "index")
);

CREATE TABLE conflicts (
    tenant                 text COLLATE "C" NOT NULL,
    bank_id                text COLLATE "C" NOT NULL,
    conflict_id            text COLLATE "C" NOT NULL,
    sides                  text NOT NULL,
    description            text NOT NULL,
    confidence             double precision NOT NULL,
    reasoning              text NOT NULL,
    status                 text NOT NULL,
    create_time            bigint NOT NULL,
    close_time             bigint,
    verdict                text NOT NULL,
    verdict_interaction_id text,
    node_id                text COLLATE "C",
    PRIMARY KEY (tenant, bank_id, conflict_id)
);

CREATE TABLE settled_pairs (
    tenant        text COLLATE "C" NOT NULL,
    bank_id       text COLLATE "C" NOT NULL,
    node_id       text COLLATE "C" NOT NULL,
    other_node_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, bank_id, node_id, other_node_id),
    CHECK (node_id < other_node_id)
);

CREATE INDEX settled_pairs_by_other ON settled_pairs (tenant, bank_id, other_node_id);

-- ---- files ----

CREATE TABLE blobs (
    uri           text COLLATE "C" PRIMARY KEY,
    tenant        text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    uid           text COLLATE "C" NOT NULL,
    attachment_id text COLLATE "C" NOT NULL,
    put_time      bigint NOT NULL,  -- by the database's clock
    size          bigint,  -- in bytes; NULL until all are there: the file is whole, or not there
    sha256        text,
    claimed       boolean NOT NULL DEFAULT false  -- its aggregate names it
);

CREATE INDEX blobs_of_owner ON blobs (tenant, kind, name, uid);
CREATE INDEX blobs_unclaimed ON blobs (put_time) WHERE NOT claimed;

CREATE TABLE blob_chunks (
    uri     text COLLATE "C" NOT NULL,
    number  bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (uri, number)
);

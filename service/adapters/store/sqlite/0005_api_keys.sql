-- API keys (core/model/access.py), and whether calls are asked for one: on from the first key, until it is switched off.
CREATE TABLE api_keys (
    key_id      TEXT NOT NULL PRIMARY KEY,
    record      TEXT NOT NULL,  -- JSON; it holds the key's SHA-256, never the key
    create_time INTEGER NOT NULL,
    expire_time INTEGER NOT NULL,
    revoke_time INTEGER,
    last_used   INTEGER
) STRICT;

CREATE TABLE asking (
    id      INTEGER NOT NULL PRIMARY KEY,
    is_on   INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

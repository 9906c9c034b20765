-- API keys (core/model/access.py), and whether calls are asked for one: on from the first key, until it is switched off.
CREATE TABLE api_keys (
    key_id      text COLLATE "C" NOT NULL PRIMARY KEY,
    record      text NOT NULL,  -- JSON; it holds the key's SHA-256, never the key
    create_time bigint NOT NULL,
    expire_time bigint NOT NULL,
    revoke_time bigint,
    last_used   bigint
);

CREATE TABLE asking (
    id      bigint NOT NULL PRIMARY KEY,
    is_on   bigint NOT NULL,
    version bigint NOT NULL
);

-- Statements that only PostgreSQL is asked in these words.

-- Locks the row: what is written besides waits for an append or a purge under way, and they for it.
-- name: is_there
SELECT 1 FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND head <> ''
  AND (:revision::bigint IS NULL OR revision = :revision::bigint)
FOR UPDATE

-- Locks what is required against a change: it still holds when this is committed.
-- name: fulfils
SELECT 1 WHERE EXISTS (
  SELECT 1 FROM aggregates
  WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
    AND (:uid::text IS NULL OR uid = :uid::text)
    AND (:generation::bigint IS NULL OR generation = :generation::bigint)
    AND (NOT :enabled OR (coalesce(enabled, true) AND coalesce(state, '') <> 'purging'))
  FOR SHARE
) OR :if_there AND NOT EXISTS (
  SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
)

-- name: heads
SELECT place - 1, uid, revision, head
FROM json_array_elements(:keys::json) WITH ORDINALITY AS wanted (key, place)
JOIN aggregates ON tenant = key ->> 0 AND kind = key ->> 1 AND name = key ->> 2
WHERE head <> ''

-- name: moved
SELECT place - 1, uid, revision, head
FROM json_array_elements(:known::json) WITH ORDINALITY AS told (known, place)
LEFT JOIN aggregates ON tenant = known ->> 0 AND kind = known ->> 1 AND name = known ->> 2 AND head <> ''
WHERE head IS DISTINCT FROM known ->> 3

-- name: chosen
tenant = :tenant AND kind = :kind AND head <> ''
  AND (:user = '' OR "user" = :user)
  AND (:collection = '' OR collection = :collection)
  AND (:state = '' OR state = :state)
  AND left(name, length(:prefix::text)) = :prefix::text
  AND (:names::text = 'null' OR name = ANY (
    SELECT json_array_elements_text(CASE WHEN :names::text = 'null' THEN '[]' ELSE :names::text END::json)
  ))
  AND (:collections::text = 'null' OR collection = ANY (
    SELECT json_array_elements_text(CASE WHEN :collections::text = 'null' THEN '[]' ELSE :collections::text END::json)
  ))
  AND NOT EXISTS (
    SELECT 1 FROM json_each_text(:labels::json) AS wanted
    WHERE aggregates.labels::json ->> wanted.key IS DISTINCT FROM wanted.value
  )

-- name: listed
SELECT name, record, checksum, revision FROM aggregates WHERE name > :after AND {chosen} ORDER BY name LIMIT :limit

-- name: newest
SELECT name, record, checksum, collection FROM aggregates
WHERE "user" = :user AND "user" <> '' AND {chosen}
  AND enabled AND (record::json ->> 'turn_count')::bigint > 0
ORDER BY coalesce(record::json ->> 'last_turn_time', record::json ->> 'create_time')::bigint DESC, name DESC
LIMIT :limit

-- name: shorten_api_key
UPDATE api_keys SET expire_time = least(expire_time, :expire_time) WHERE key_id = :key_id

-- name: touch_api_keys
UPDATE api_keys SET last_used = greatest(coalesce(last_used, 0), :day)
WHERE key_id = ANY (SELECT json_array_elements_text(:key_ids::json))

-- name: requests
SELECT request_id, verb, digest, create_time, answer, revision, checksum FROM requests
WHERE tenant = :tenant AND kind = :kind AND name = :name
  AND request_id IN (SELECT json_array_elements_text(:request_ids::json))
  AND EXISTS (
    SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
  )

-- name: put_vector
INSERT INTO vectors (tenant, kind, name, part, item, space, embedding, checksum)
SELECT :tenant, :kind, :name, :part, :item, :space, :embedding::bytea, :checksum::bigint
WHERE EXISTS (
  SELECT 1 FROM items WHERE tenant = :tenant AND kind = :kind AND name = :name AND part = :part AND item = :item
)
ON CONFLICT (tenant, kind, name, part, item) DO UPDATE
SET space = excluded.space, embedding = excluded.embedding, checksum = excluded.checksum

-- name: values_of
SELECT part, item, value, items.checksum FROM items JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND part = :part AND item IN (SELECT json_array_elements_text(:items::json))

-- name: vectors_of
SELECT item, vectors.checksum, embedding FROM vectors JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND part = :part AND space = :space AND item IN (SELECT json_array_elements_text(:items::json))

-- name: claim
INSERT INTO claims (what, holder, until) VALUES (:what, :holder, extract(epoch FROM clock_timestamp())::float8 + :seconds)
ON CONFLICT (what) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE claims.holder = excluded.holder OR claims.until < extract(epoch FROM clock_timestamp())::float8

-- name: trim_claims
DELETE FROM claims WHERE until < extract(epoch FROM clock_timestamp())::float8

-- name: segment_vectors
SELECT interaction_id, "index", embedding_checksum, embedding
FROM json_array_elements(:items::json) AS wanted (ref)
JOIN segments ON interaction_id = ref ->> 0 AND "index" = (ref ->> 1)::bigint
JOIN aggregates ON aggregates.tenant = segments.tenant AND kind = 'bank' AND name = bank_id
WHERE segments.tenant = :tenant AND bank_id = :bank_id AND uid = :uid AND embedding IS NOT NULL

-- ---- files ----

-- name: begin_blob
INSERT INTO blobs (uri, tenant, kind, name, uid, attachment_id, put_time)
VALUES (:uri, :tenant, :kind, :name, :uid, :attachment_id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)

-- name: blob_is_begun
SELECT 1 FROM blobs WHERE uri = :uri FOR UPDATE

-- name: add_chunk
INSERT INTO blob_chunks (uri, number, content) VALUES (?, ?, ?)

-- name: end_blob
UPDATE blobs SET size = :size, sha256 = :sha256 WHERE uri = :uri

-- name: blob
SELECT size, sha256 FROM blobs
WHERE uri = :uri AND tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND size IS NOT NULL

-- name: chunks
SELECT content FROM blob_chunks WHERE uri = :uri AND number >= :first AND number < :end ORDER BY number

-- name: claim_blob
UPDATE blobs SET claimed = true WHERE uri = :uri

-- name: unclaimed_blobs
SELECT tenant, kind, name, uid, attachment_id, uri FROM blobs
WHERE NOT claimed AND put_time < :before AND size IS NOT NULL ORDER BY put_time

-- name: unfinished_blobs
SELECT uri FROM blobs WHERE NOT claimed AND put_time < :before AND size IS NULL

-- name: drop_chunks
DELETE FROM blob_chunks WHERE uri = :uri

-- name: drop_blob
DELETE FROM blobs WHERE uri = :uri

-- name: drop_chunks_of
DELETE FROM blob_chunks WHERE uri IN (
  SELECT uri FROM blobs WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid FOR UPDATE
)

-- name: drop_unfinished_of
DELETE FROM blobs WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND size IS NULL

-- name: drop_blobs_of
DELETE FROM blobs WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid

-- name: facts
SELECT (SELECT max(version) FROM schema_versions), pg_database_size(current_database())

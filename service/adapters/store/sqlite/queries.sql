-- Statements that only SQLite is asked in these words.

-- name: is_there
SELECT 1 FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND head <> ''
  AND (:revision IS NULL OR revision = :revision)

-- name: fulfils
SELECT 1 WHERE EXISTS (
  SELECT 1 FROM aggregates
  WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
    AND (:uid IS NULL OR uid = :uid) AND (:generation IS NULL OR generation = :generation)
    AND (NOT :enabled OR (coalesce(enabled, 1) AND coalesce(state, '') <> 'purging'))
) OR :if_there AND NOT EXISTS (
  SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
)

-- name: heads
SELECT wanted.key, uid, revision, head
FROM json_each(:keys) AS wanted
CROSS JOIN aggregates ON tenant = json_extract(wanted.value, '$[0]')
  AND kind = json_extract(wanted.value, '$[1]') AND name = json_extract(wanted.value, '$[2]')
WHERE head <> ''

-- name: moved
SELECT told.key, uid, revision, head
FROM json_each(:known) AS told
LEFT JOIN aggregates ON tenant = json_extract(told.value, '$[0]')
  AND kind = json_extract(told.value, '$[1]') AND name = json_extract(told.value, '$[2]') AND head <> ''
WHERE head IS NOT json_extract(told.value, '$[3]')

-- name: chosen
tenant = :tenant AND kind = :kind AND head <> ''
  AND (:user = '' OR user = :user)
  AND (:collection = '' OR collection = :collection)
  AND (:state = '' OR state = :state)
  AND substr(name, 1, length(:prefix)) = :prefix
  AND (:names = 'null' OR name IN (SELECT value FROM json_each(:names)))
  AND (:collections = 'null' OR collection IN (SELECT value FROM json_each(:collections)))
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:labels) AS wanted
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(aggregates.labels) AS label
      WHERE label.key = wanted.key AND label.value = wanted.value
    )
  )

-- name: listed
SELECT name, record, checksum, revision FROM aggregates WHERE name > :after AND {chosen} ORDER BY name LIMIT :limit

-- name: newest
SELECT name, record, checksum, collection FROM aggregates
WHERE user = :user AND user <> '' AND {chosen}
  AND enabled AND json_extract(record, '$.turn_count') > 0
ORDER BY coalesce(json_extract(record, '$.last_turn_time'), json_extract(record, '$.create_time')) DESC, name DESC LIMIT :limit

-- name: shorten_api_key
UPDATE api_keys SET expire_time = min(expire_time, :expire_time) WHERE key_id = :key_id

-- name: touch_api_keys
UPDATE api_keys SET last_used = max(coalesce(last_used, 0), :day)
WHERE key_id IN (SELECT value FROM json_each(:key_ids))

-- name: requests
SELECT request_id, verb, digest, create_time, answer, revision, checksum FROM requests
WHERE tenant = :tenant AND kind = :kind AND name = :name
  AND request_id IN (SELECT value FROM json_each(:request_ids))
  AND EXISTS (
    SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
  )

-- name: put_vector
INSERT INTO vectors (tenant, kind, name, part, item, space, embedding, checksum)
SELECT :tenant, :kind, :name, :part, :item, :space, :embedding, :checksum
WHERE EXISTS (
  SELECT 1 FROM items WHERE tenant = :tenant AND kind = :kind AND name = :name AND part = :part AND item = :item
)
ON CONFLICT (tenant, kind, name, part, item) DO UPDATE
SET space = excluded.space, embedding = excluded.embedding, checksum = excluded.checksum

-- name: values_of
SELECT part, item, value, items.checksum FROM items JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND part = :part AND item IN (SELECT value FROM json_each(:items))

-- name: vectors_of
SELECT item, vectors.checksum, embedding FROM vectors JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND part = :part AND space = :space AND item IN (SELECT value FROM json_each(:items))

-- name: claim
INSERT INTO claims (what, holder, until) VALUES (:what, :holder, (julianday('now') - 2440587.5) * 86400 + :seconds)
ON CONFLICT (what) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE claims.holder = excluded.holder OR claims.until < (julianday('now') - 2440587.5) * 86400

-- name: trim_claims
DELETE FROM claims WHERE until < (julianday('now') - 2440587.5) * 86400

-- name: owe_a_scrub
INSERT INTO unscrubbed DEFAULT VALUES

-- name: owes_a_scrub
SELECT 1 FROM unscrubbed LIMIT 1

-- name: segment_vectors
SELECT interaction_id, "index", embedding_checksum, embedding
FROM (
  SELECT json_extract(value, '$[0]') AS told, json_extract(value, '$[1]') AS place FROM json_each(:items)
) AS wanted
JOIN segments ON interaction_id = told AND "index" = place
JOIN aggregates ON aggregates.tenant = segments.tenant AND kind = 'bank' AND name = bank_id
WHERE segments.tenant = :tenant AND bank_id = :bank_id AND uid = :uid AND embedding IS NOT NULL

-- name: facts
SELECT user_version, page_count * page_size FROM pragma_user_version, pragma_page_count, pragma_page_size

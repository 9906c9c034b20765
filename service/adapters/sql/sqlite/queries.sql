-- Every statement that is not made from a table's columns (see tables.py), by name.

-- name: create_bank
INSERT INTO banks (tenant, bank_id, uid, revision, head, record)
VALUES (:tenant, :bank_id, :uid, :revision, :head, :record)
ON CONFLICT DO NOTHING

-- name: advance_bank
UPDATE banks SET revision = ?5, head = ?6  -- by position, as add_change: every append does
WHERE tenant = ?1 AND bank_id = ?2 AND uid = ?3 AND head = ?4 AND revision = ?7

-- name: bank
SELECT uid, revision, head, record FROM banks WHERE tenant = :tenant AND bank_id = :bank_id

-- name: bank_of_uid
SELECT revision FROM banks WHERE tenant = :tenant AND bank_id = :bank_id AND uid = :uid

-- name: heads
SELECT tenant, bank_id, uid, revision, head
FROM json_each(:keys) AS wanted
CROSS JOIN banks ON tenant = json_extract(wanted.value, '$[0]') AND bank_id = json_extract(wanted.value, '$[1]')

-- name: put_record
UPDATE banks SET record = :record WHERE tenant = :tenant AND bank_id = :bank_id

-- name: list_banks
SELECT record, revision FROM banks
WHERE tenant = :tenant AND bank_id > :after
  AND (:user = '' OR user = :user)
  AND (:collection = '' OR collection = :collection)
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:labels) AS wanted
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(banks.labels) AS label
      WHERE label.key = wanted.key AND label.value = wanted.value
    )
  )
ORDER BY bank_id LIMIT :limit

-- name: expired
SELECT tenant, bank_id, uid FROM banks
WHERE finish_time IS NOT NULL AND coalesce(ttl, :default_ttl) >= 0
  AND finish_time + coalesce(ttl, :default_ttl) <= :now
ORDER BY finish_time + coalesce(ttl, :default_ttl), tenant, bank_id LIMIT :limit

-- name: add_change
INSERT INTO changes (tenant, bank_id, revision, change_id, parent, time, steps)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: change_stored
SELECT 1 FROM changes JOIN banks USING (tenant, bank_id)
WHERE tenant = :tenant AND bank_id = :bank_id AND uid = :uid
  AND changes.revision = :revision AND change_id = :change_id

-- name: oldest_change
SELECT min(revision) FROM changes WHERE tenant = :tenant AND bank_id = :bank_id

-- name: changes
SELECT revision, change_id, parent, time, steps FROM changes
WHERE tenant = :tenant AND bank_id = :bank_id AND revision > :after
ORDER BY revision LIMIT :limit

-- name: drop_node
DELETE FROM nodes WHERE tenant = :tenant AND bank_id = :bank_id AND node_id = :node_id

-- name: add_edge
INSERT INTO edges (tenant, bank_id, node_id, other_node_id)  -- by position: there are many
VALUES (?1, ?2, min(?3, ?4), max(?3, ?4))
ON CONFLICT DO NOTHING

-- name: drop_edge
DELETE FROM edges
WHERE tenant = :tenant AND bank_id = :bank_id
  AND node_id = min(:node_id, :other_node_id) AND other_node_id = max(:node_id, :other_node_id)

-- name: edges
SELECT node_id, other_node_id FROM edges
WHERE tenant = :tenant AND bank_id = :bank_id ORDER BY node_id, other_node_id

-- name: add_merge
INSERT INTO merges (tenant, bank_id, "index", "into", absorbed, reason, description, time, conflict_id, verdict)
SELECT :tenant, :bank_id, coalesce(max("index") + 1, 0),
       :into, :absorbed, :reason, :description, :time, :conflict_id, :verdict
FROM merges WHERE tenant = :tenant AND bank_id = :bank_id

-- name: settle_pair
INSERT INTO settled_pairs (tenant, bank_id, node_id, other_node_id)
VALUES (:tenant, :bank_id, min(:node_id, :other_node_id), max(:node_id, :other_node_id))
ON CONFLICT DO NOTHING

-- name: forget_pairs
DELETE FROM settled_pairs
WHERE tenant = :tenant AND bank_id = :bank_id AND (node_id = :node_id OR other_node_id = :node_id)

-- name: settled_pairs
SELECT node_id, other_node_id FROM settled_pairs
WHERE tenant = :tenant AND bank_id = :bank_id ORDER BY node_id, other_node_id

-- name: refute_segment
INSERT INTO refutations (tenant, bank_id, interaction_id, "index", start, "end", conflict_id)
VALUES (:tenant, :bank_id, :interaction_id, :index, :start, :end, :conflict_id)
ON CONFLICT DO NOTHING

-- name: refutations
SELECT interaction_id, "index", start, "end", conflict_id FROM refutations
WHERE tenant = :tenant AND bank_id = :bank_id ORDER BY interaction_id, "index", start, "end", conflict_id

-- name: put_segment_vector
UPDATE segments SET embedding = :embedding
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id AND "index" = :index

-- name: segment_vector
SELECT embedding FROM segments JOIN banks USING (tenant, bank_id)
WHERE tenant = :tenant AND bank_id = :bank_id AND uid = :uid
  AND interaction_id = :interaction_id AND "index" = :index AND embedding IS NOT NULL

-- name: put_request
INSERT INTO requests (tenant, bank_id, request_id, verb, digest, create_time, answer, revision)
VALUES (:tenant, :bank_id, :request_id, :verb, :digest, :create_time, :answer, :revision)
ON CONFLICT DO UPDATE
SET create_time = excluded.create_time, answer = excluded.answer, revision = excluded.revision
WHERE verb = excluded.verb AND digest = excluded.digest

-- name: request
SELECT request_id, verb, digest, create_time, answer, revision FROM requests
WHERE tenant = :tenant AND bank_id = :bank_id AND request_id = :request_id

-- name: leftovers
SELECT tenant, bank_id, interaction_id, update_time FROM structurings
WHERE state <> 'done' ORDER BY update_time, tenant, bank_id, interaction_id LIMIT :limit

-- name: files_left
SELECT count(DISTINCT uri) FROM (
  SELECT uri FROM attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
  UNION
  SELECT uri FROM interaction_attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
)

-- name: owe_a_scrub
INSERT INTO unscrubbed DEFAULT VALUES

-- Times need not grow with revisions (replicas have their own clocks), but what is left of a
-- feed must be its end without gaps: all before the first entry that is young enough, except the newest.
-- name: trim_changes
DELETE FROM changes WHERE rowid IN (
  WITH kept AS (
    SELECT tenant, bank_id, coalesce(min(revision) FILTER (WHERE time >= :before), max(revision)) AS first
    FROM changes GROUP BY tenant, bank_id
  )
  SELECT changes.rowid FROM changes JOIN kept USING (tenant, bank_id) WHERE revision < first
)

-- name: trim_requests
DELETE FROM requests WHERE create_time < :before

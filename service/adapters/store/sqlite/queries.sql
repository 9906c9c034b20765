-- Every statement that is not made from a table's columns (see rows.py), by name.

-- name: create
INSERT INTO aggregates (tenant, kind, name, uid, revision, head, record)
VALUES (:tenant, :kind, :name, :uid, :revision, :head, :record)
ON CONFLICT (tenant, kind, name) DO NOTHING

-- name: advance
UPDATE aggregates SET revision = ?6, head = ?7  -- by position, as add_change: every append does
WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND uid = ?4 AND head = ?5 AND revision = ?8

-- An aggregate whose rows are being purged, or were until a process died, has no head. Its row goes last.
-- name: stands
SELECT uid, revision, head, record FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''

-- name: purgeable
SELECT uid, revision, head FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name

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
SELECT tenant, kind, name, uid, revision, head
FROM json_each(:keys) AS wanted
CROSS JOIN aggregates ON tenant = json_extract(wanted.value, '$[0]')
  AND kind = json_extract(wanted.value, '$[1]') AND name = json_extract(wanted.value, '$[2]')
WHERE head <> ''

-- name: put_record
UPDATE aggregates SET record = :record WHERE tenant = :tenant AND kind = :kind AND name = :name

-- name: listed
SELECT record, revision FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND name > :after AND head <> ''
  AND (:user = '' OR user = :user)
  AND (:collection = '' OR collection = :collection)
  AND (:state = '' OR state = :state)
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:labels) AS wanted
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(aggregates.labels) AS label
      WHERE label.key = wanted.key AND label.value = wanted.value
    )
  )
ORDER BY name LIMIT :limit

-- name: count
SELECT count(*) FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND user = :user AND user <> '' AND head <> ''

-- name: keys_of_user
SELECT tenant, kind, name, uid FROM aggregates
WHERE tenant = :tenant AND user = :user AND user <> ''
  AND kind <> 'user' AND (:include_banks OR kind <> 'bank')
ORDER BY kind, name LIMIT :limit

-- name: due
SELECT tenant, kind, name, uid FROM aggregates
WHERE due_time IS NOT NULL AND due_time <= :now ORDER BY due_time LIMIT :limit

-- name: expired
SELECT tenant, kind, name, uid FROM (
  SELECT tenant, kind, name, uid, finish_time + coalesce(ttl, :default_ttl) AS time
  FROM aggregates WHERE finish_time IS NOT NULL AND coalesce(ttl, :default_ttl) >= 0
  UNION ALL
  SELECT tenant, kind, name, uid, purge_time AS time FROM aggregates WHERE purge_time IS NOT NULL
  UNION ALL
  SELECT tenant, kind, name, uid, 0 AS time FROM aggregates WHERE head = ''
) WHERE time <= :now ORDER BY time, tenant, kind, name LIMIT :limit

-- name: add_change
INSERT INTO changes (tenant, kind, name, revision, change_id, parent, time, steps)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: change_stored
SELECT 1 FROM changes JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND changes.revision = :revision AND change_id = :change_id

-- One row at least where the aggregate is there: its uid, the oldest revision of its feed, and an entry or NULLs.
-- name: changes
SELECT uid, (
  SELECT min(old.revision) FROM changes AS old
  WHERE old.tenant = :tenant AND old.kind = :kind AND old.name = :name
), changes.revision, change_id, parent, time, steps
FROM aggregates LEFT JOIN changes ON changes.tenant = aggregates.tenant AND changes.kind = aggregates.kind
  AND changes.name = aggregates.name AND changes.revision > :after
WHERE aggregates.tenant = :tenant AND aggregates.kind = :kind AND aggregates.name = :name AND head <> ''
ORDER BY changes.revision LIMIT :limit

-- name: erase_changes
DELETE FROM changes WHERE tenant = :tenant AND kind = :kind AND name = :name AND revision < :revision

-- name: put_request
INSERT INTO requests (tenant, kind, name, request_id, verb, digest, create_time, answer, revision)
VALUES (:tenant, :kind, :name, :request_id, :verb, :digest, :create_time, :answer, :revision)
ON CONFLICT (tenant, kind, name, request_id) DO UPDATE
SET create_time = excluded.create_time, answer = excluded.answer, revision = excluded.revision
WHERE requests.verb = excluded.verb AND requests.digest = excluded.digest

-- name: requests
SELECT request_id, verb, digest, create_time, answer, revision FROM requests
WHERE tenant = :tenant AND kind = :kind AND name = :name
  AND request_id IN (SELECT value FROM json_each(:request_ids))
  AND EXISTS (
    SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''
  )

-- name: put_item
INSERT INTO items (tenant, kind, name, part, item, value) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, kind, name, part, item) DO UPDATE SET value = excluded.value

-- name: drop_item
DELETE FROM items WHERE tenant = ? AND kind = ? AND name = ? AND part = ? AND item = ?

-- name: drop_vector
DELETE FROM vectors WHERE tenant = ? AND kind = ? AND name = ? AND part = ? AND item = ?

-- name: items
SELECT part, item, value FROM items
WHERE tenant = :tenant AND kind = :kind AND name = :name ORDER BY part, item

-- name: item_counts
SELECT part, count(*) FROM items WHERE tenant = :tenant AND kind = :kind AND name = :name GROUP BY part

-- name: put_vector
INSERT INTO vectors (tenant, kind, name, part, item, space, embedding)
SELECT :tenant, :kind, :name, :part, :item, :space, :embedding
WHERE EXISTS (
  SELECT 1 FROM items WHERE tenant = :tenant AND kind = :kind AND name = :name AND part = :part AND item = :item
)
ON CONFLICT (tenant, kind, name, part, item) DO UPDATE SET space = excluded.space, embedding = excluded.embedding

-- name: vectors_of
SELECT item, embedding FROM vectors JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND part = :part AND space = :space AND item IN (SELECT value FROM json_each(:items))

-- name: vectors
SELECT part, item, embedding FROM vectors
WHERE tenant = :tenant AND kind = :kind AND name = :name AND space = :space ORDER BY part, item

-- What is left of a feed must be its end without gaps, and never nothing, though times need not grow with revisions
-- (replicas have their own clocks): an entry goes only if none before it stays.
-- name: trim_changes
DELETE FROM changes WHERE rowid IN (
  SELECT old.rowid FROM changes AS old JOIN aggregates USING (tenant, kind, name)
  WHERE old.time < :before AND old.revision < aggregates.revision
    AND NOT EXISTS (
      SELECT 1 FROM changes AS kept
      WHERE kept.tenant = old.tenant AND kept.kind = old.kind AND kept.name = old.name
        AND kept.revision < old.revision AND kept.time >= :before
    )
  ORDER BY old.time, old.revision LIMIT :limit
)

-- name: trim_requests
DELETE FROM requests WHERE create_time < :before

-- name: claim
INSERT INTO claims (what, holder, until) VALUES (:what, :holder, (julianday('now') - 2440587.5) * 86400 + :seconds)
ON CONFLICT (what) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE claims.holder = excluded.holder OR claims.until < (julianday('now') - 2440587.5) * 86400

-- name: trim_claims
DELETE FROM claims WHERE until < (julianday('now') - 2440587.5) * 86400

-- name: begin_purge
UPDATE aggregates SET head = ''
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND revision = :revision

-- Of a later aggregate of the tenant, no revision is one that a purged one had: what a reader has seen of that one, and
-- what it asks for since, are never taken for this one's.
-- name: raise_floor
INSERT INTO tenants (tenant, floor) VALUES (:tenant, :floor)
ON CONFLICT (tenant) DO UPDATE SET floor = excluded.floor WHERE tenants.floor < excluded.floor

-- name: begins_above_floor
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE tenant = :tenant AND floor >= :revision)

-- name: floor
SELECT floor FROM tenants WHERE tenant = :tenant

-- name: end_purge
DELETE FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND head = ''

-- name: owe_a_scrub
INSERT INTO unscrubbed DEFAULT VALUES

-- name: owes_a_scrub
SELECT 1 FROM unscrubbed LIMIT 1

-- ---- banks ----

-- name: drop_node
DELETE FROM nodes WHERE tenant = :tenant AND bank_id = :bank_id AND node_id = :node_id

-- name: add_edge
INSERT INTO edges (tenant, bank_id, node_id, other_node_id) VALUES (?, ?, ?, ?)  -- by position: there are many
ON CONFLICT DO NOTHING

-- name: drop_edge
DELETE FROM edges
WHERE tenant = :tenant AND bank_id = :bank_id
  AND node_id = :node_id AND other_node_id = :other_node_id

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
VALUES (:tenant, :bank_id, :node_id, :other_node_id)
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

-- name: segment_vectors
SELECT interaction_id, "index", embedding
FROM (
  SELECT json_extract(value, '$[0]') AS told, json_extract(value, '$[1]') AS place FROM json_each(:items)
) AS wanted
JOIN segments ON interaction_id = told AND "index" = place
JOIN aggregates ON aggregates.tenant = segments.tenant AND kind = 'bank' AND name = bank_id
WHERE segments.tenant = :tenant AND bank_id = :bank_id AND uid = :uid AND embedding IS NOT NULL

-- name: leftovers
SELECT tenant, bank_id, interaction_id, update_time FROM structurings
WHERE state <> 'done' ORDER BY update_time, tenant, bank_id, interaction_id LIMIT :limit

-- name: files_left
SELECT count(DISTINCT uri) FROM (
  SELECT uri FROM attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
  UNION
  SELECT uri FROM interaction_attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
)

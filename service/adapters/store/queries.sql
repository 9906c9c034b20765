-- Statements that every database is asked alike, by name; what differs stands in the folder of each. Those that are
-- made from a table's columns are not here (rows.py).

-- name: create
INSERT INTO aggregates (tenant, kind, name, uid, revision, head, record, checksum)
VALUES (:tenant, :kind, :name, :uid, :revision, :head, :record, :checksum)
ON CONFLICT (tenant, kind, name) DO NOTHING

-- name: advance
UPDATE aggregates SET revision = ?6, head = ?7
WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND uid = ?4 AND head = ?5 AND revision = ?8

-- An aggregate whose rows are being purged, or were until a process died, has no head. Its row goes last.
-- name: stands
SELECT uid, revision, head, record, checksum FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND name = :name AND head <> ''

-- name: purgeable
SELECT uid, revision, head FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name

-- name: put_record
UPDATE aggregates SET record = :record, checksum = :checksum WHERE tenant = :tenant AND kind = :kind AND name = :name

-- name: asking
SELECT is_on, version FROM asking

-- name: ask
INSERT INTO asking (id, is_on, version) VALUES (1, 1, 1)
ON CONFLICT (id) DO UPDATE SET is_on = 1, version = asking.version + 1

-- name: ask_anew
UPDATE asking SET version = version + 1

-- name: stop_asking
UPDATE asking SET is_on = 0, version = version + 1

-- name: add_api_key
INSERT INTO api_keys (key_id, record, create_time, expire_time)
VALUES (:key_id, :record, :create_time, :expire_time)

-- name: api_key
SELECT record, expire_time, revoke_time, last_used FROM api_keys WHERE key_id = :key_id

-- name: api_keys
SELECT record, expire_time, revoke_time, last_used FROM api_keys ORDER BY create_time, key_id

-- name: revoke_api_key
UPDATE api_keys SET revoke_time = coalesce(revoke_time, :now) WHERE key_id = :key_id

-- name: count
SELECT count(*) FROM aggregates
WHERE tenant = :tenant AND kind = :kind AND "user" = :user AND "user" <> '' AND head <> ''

-- name: count_all
SELECT count(*) FROM (
  SELECT 1 FROM aggregates WHERE tenant = :tenant AND kind = :kind AND head <> '' LIMIT :most
) AS first_ones

-- name: oldest_due_time
SELECT min(due_time) FROM aggregates WHERE due_time IS NOT NULL

-- name: keys_of_user
SELECT tenant, kind, name, uid FROM aggregates
WHERE tenant = :tenant AND "user" = :user AND "user" <> ''
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
) AS timed WHERE time <= :now ORDER BY time, tenant, kind, name LIMIT :limit

-- name: add_change
INSERT INTO changes (tenant, kind, name, revision, change_id, parent, time, steps, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: change_stored
SELECT 1 FROM changes JOIN aggregates USING (tenant, kind, name)
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid
  AND changes.revision = :revision AND change_id = :change_id

-- One row at least where the aggregate is there: its uid, the oldest revision of its feed, and an entry or NULLs.
-- name: changes
SELECT uid, (
  SELECT min(old.revision) FROM changes AS old
  WHERE old.tenant = :tenant AND old.kind = :kind AND old.name = :name
), changes.revision, change_id, parent, time, steps, changes.checksum
FROM aggregates LEFT JOIN changes ON changes.tenant = aggregates.tenant AND changes.kind = aggregates.kind
  AND changes.name = aggregates.name AND changes.revision > :after
WHERE aggregates.tenant = :tenant AND aggregates.kind = :kind AND aggregates.name = :name AND head <> ''
ORDER BY changes.revision LIMIT :limit

-- name: erase_changes
DELETE FROM changes WHERE tenant = :tenant AND kind = :kind AND name = :name AND revision < :revision

-- One that is stored already refuses the whole append.
-- name: add_request
INSERT INTO requests (tenant, kind, name, request_id, verb, digest, create_time, answer, revision, checksum)
VALUES (:tenant, :kind, :name, :request_id, :verb, :digest, :create_time, :answer, :revision, :checksum)

-- name: put_item
INSERT INTO items (tenant, kind, name, part, item, value, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, kind, name, part, item) DO UPDATE SET value = excluded.value, checksum = excluded.checksum

-- name: drop_item
DELETE FROM items WHERE tenant = ? AND kind = ? AND name = ? AND part = ? AND item = ?

-- name: drop_vector
DELETE FROM vectors WHERE tenant = ? AND kind = ? AND name = ? AND part = ? AND item = ?

-- name: items
SELECT part, item, value, checksum FROM items
WHERE tenant = :tenant AND kind = :kind AND name = :name AND part <> :left_out ORDER BY part, item

-- name: items_left_out
SELECT part, item, value, checksum FROM items
WHERE tenant = :tenant AND kind = :kind AND name = :name AND part = :left_out

-- name: item_counts
SELECT part, count(*) FROM items WHERE tenant = :tenant AND kind = :kind AND name = :name GROUP BY part

-- name: vectors
SELECT part, item, embedding, checksum FROM vectors
WHERE tenant = :tenant AND kind = :kind AND name = :name AND space = :space ORDER BY part, item

-- What is left of a feed must be its end without gaps, and never nothing, though times need not grow with revisions
-- (replicas have their own clocks): an entry goes only if none before it stays. Looked up by the index on times.
-- name: old_changes
SELECT old.tenant, old.kind, old.name, old.revision, old.time
FROM changes AS old JOIN aggregates USING (tenant, kind, name)
WHERE old.time >= :since AND old.time < :before AND old.revision < aggregates.revision
  AND NOT EXISTS (
    SELECT 1 FROM changes AS kept
    WHERE kept.tenant = old.tenant AND kept.kind = old.kind AND kept.name = old.name
      AND kept.revision < old.revision AND kept.time >= :before
  )
ORDER BY old.time, old.revision LIMIT :limit

-- name: trim_changes
DELETE FROM changes WHERE tenant = ? AND kind = ? AND name = ? AND revision = ? AND time = ?

-- name: old_requests
SELECT tenant, kind, name, request_id, create_time FROM requests
WHERE create_time >= :since AND create_time < :before ORDER BY create_time LIMIT :limit

-- name: trim_requests
DELETE FROM requests WHERE tenant = ? AND kind = ? AND name = ? AND request_id = ? AND create_time = ?

-- name: all_changes
SELECT revision, change_id, parent, time, steps, checksum FROM changes
WHERE tenant = :tenant AND kind = :kind AND name = :name ORDER BY revision

-- name: all_requests
SELECT request_id, verb, digest, create_time, revision, answer, checksum FROM requests
WHERE tenant = :tenant AND kind = :kind AND name = :name

-- name: all_vectors
SELECT item, checksum, embedding FROM vectors WHERE tenant = :tenant AND kind = :kind AND name = :name

-- name: keys
SELECT tenant, kind, name FROM aggregates
WHERE (tenant, kind, name) > (:tenant, :kind, :name) AND head <> '' ORDER BY tenant, kind, name LIMIT :limit

-- A file or database from before times were told has those of its changes.
-- name: latest_time
SELECT coalesce((SELECT time FROM times WHERE what = 'latest'), (SELECT max(time) FROM changes))

-- name: tell_time
INSERT INTO times (what, time) VALUES ('latest', :now)
ON CONFLICT (what) DO UPDATE SET time = excluded.time WHERE times.time < excluded.time

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

-- Changes nothing: the row is this transaction's from here on.
-- name: hold_purge
UPDATE aggregates SET head = ''
WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND head = ''

-- name: end_purge
DELETE FROM aggregates WHERE tenant = :tenant AND kind = :kind AND name = :name AND uid = :uid AND head = ''

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
INSERT INTO merges (tenant, bank_id, "index", "into", absorbed, reason, description, time, conflict_id, verdict, checksum)
SELECT :tenant, :bank_id, coalesce(max("index") + 1, 0),
       :into, :absorbed, :reason, :description, :time, :conflict_id, :verdict, :checksum
FROM merges WHERE tenant = :tenant AND bank_id = :bank_id

-- name: drop_refutations
DELETE FROM refutations
WHERE tenant = :tenant AND bank_id = :bank_id AND conflict_id = :conflict_id

-- name: drop_refutations_of
DELETE FROM refutations
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_segments_of
DELETE FROM segments
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_enclosed_of
DELETE FROM interaction_attachments
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_clusters_of
DELETE FROM clusters
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_structuring_of
DELETE FROM structurings
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_interaction
DELETE FROM interactions
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id

-- name: drop_merge
DELETE FROM merges WHERE tenant = :tenant AND bank_id = :bank_id AND "into" = :into

-- name: drop_conflict
DELETE FROM conflicts WHERE tenant = :tenant AND bank_id = :bank_id AND conflict_id = :conflict_id

-- name: drop_attachment
DELETE FROM attachments WHERE tenant = :tenant AND bank_id = :bank_id AND attachment_id = :attachment_id

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
UPDATE segments SET embedding = :embedding, embedding_checksum = :checksum
WHERE tenant = :tenant AND bank_id = :bank_id AND interaction_id = :interaction_id AND "index" = :index

-- name: leftovers
SELECT tenant, bank_id, interaction_id, update_time FROM structurings
WHERE state <> 'done' ORDER BY update_time, tenant, bank_id, interaction_id LIMIT :limit

-- name: files_left
SELECT count(DISTINCT uri) FROM (
  SELECT uri FROM attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
  UNION
  SELECT uri FROM interaction_attachments WHERE tenant = :tenant AND bank_id = :bank_id AND NOT stored
) AS named

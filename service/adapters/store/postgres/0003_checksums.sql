-- Checksums of rows (CRC-32, see checksums.py); of what was written before, and of vectors that are missing: NULL.
ALTER TABLE aggregates ADD COLUMN checksum bigint;  -- of the record
ALTER TABLE insights ADD COLUMN checksum bigint;
ALTER TABLE completed_tasks ADD COLUMN checksum bigint;
ALTER TABLE interactions ADD COLUMN checksum bigint;
ALTER TABLE segments ADD COLUMN checksum bigint;
ALTER TABLE interaction_attachments ADD COLUMN checksum bigint;
ALTER TABLE attachments ADD COLUMN checksum bigint;
ALTER TABLE structurings ADD COLUMN checksum bigint;
ALTER TABLE clusters ADD COLUMN checksum bigint;
ALTER TABLE nodes ADD COLUMN checksum bigint;
ALTER TABLE merges ADD COLUMN checksum bigint;
ALTER TABLE conflicts ADD COLUMN checksum bigint;
ALTER TABLE changes ADD COLUMN checksum bigint;
ALTER TABLE requests ADD COLUMN checksum bigint;
ALTER TABLE items ADD COLUMN checksum bigint;
ALTER TABLE vectors ADD COLUMN checksum bigint;
ALTER TABLE segments ADD COLUMN embedding_checksum bigint;
ALTER TABLE nodes ADD COLUMN embedding_checksum bigint;

-- Checksums of rows (CRC-32, see checksums.py); of what was written before, and of vectors that are missing: NULL.
ALTER TABLE aggregates ADD COLUMN checksum INTEGER;  -- of the record
ALTER TABLE insights ADD COLUMN checksum INTEGER;
ALTER TABLE completed_tasks ADD COLUMN checksum INTEGER;
ALTER TABLE interactions ADD COLUMN checksum INTEGER;
ALTER TABLE segments ADD COLUMN checksum INTEGER;
ALTER TABLE interaction_attachments ADD COLUMN checksum INTEGER;
ALTER TABLE attachments ADD COLUMN checksum INTEGER;
ALTER TABLE structurings ADD COLUMN checksum INTEGER;
ALTER TABLE clusters ADD COLUMN checksum INTEGER;
ALTER TABLE nodes ADD COLUMN checksum INTEGER;
ALTER TABLE merges ADD COLUMN checksum INTEGER;
ALTER TABLE conflicts ADD COLUMN checksum INTEGER;
ALTER TABLE changes ADD COLUMN checksum INTEGER;
ALTER TABLE requests ADD COLUMN checksum INTEGER;
ALTER TABLE items ADD COLUMN checksum INTEGER;
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
ALTER TABLE segments ADD COLUMN embedding_checksum INTEGER;
ALTER TABLE nodes ADD COLUMN embedding_checksum INTEGER;

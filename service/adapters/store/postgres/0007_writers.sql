-- The subject of the API key that wrote it, with a checksum of its own: builds that do not know the column read and write
-- the row beside those that do.
ALTER TABLE interactions ADD COLUMN writer text NOT NULL DEFAULT '';
ALTER TABLE interactions ADD COLUMN writer_checksum bigint;
ALTER TABLE nodes ADD COLUMN writer text NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN writer_checksum bigint;
ALTER TABLE retractions ADD COLUMN writer text NOT NULL DEFAULT '';
ALTER TABLE retractions ADD COLUMN writer_checksum bigint;

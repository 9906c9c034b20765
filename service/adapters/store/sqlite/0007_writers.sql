-- The subject of the API key that wrote it. It is in the row's checksum where it is not empty: older rows have none.
ALTER TABLE interactions ADD COLUMN writer TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN writer TEXT NOT NULL DEFAULT '';
ALTER TABLE retractions ADD COLUMN writer TEXT NOT NULL DEFAULT '';

-- Who created a label, and when: its creator may move it for an hour.
--
-- created_at: microseconds since 1970-01-01 UTC; null for labels from before this migration. creator: the id of
-- the token; null where no token was needed.

ALTER TABLE labels ADD COLUMN created_at BIGINT;
ALTER TABLE labels ADD COLUMN creator TEXT;

-- Leases of the probe have secrets, and leases and runs belong to tokens.
--
-- probe_runs.token: the id of the token that opened the run. probe_shards.secret: the SHA-256 of the secret of
-- the last lease; probe_shards.token: the id of the token that took it. Both are null where no token was needed.
--
-- Earlier leases have no secret, so they end. Their workers ask for another shard. A lease was identified by
-- how often its shard had been leased, which nothing needs any more.

ALTER TABLE probe_runs ADD COLUMN token TEXT;
ALTER TABLE probe_shards ADD COLUMN secret BYTEA;
ALTER TABLE probe_shards ADD COLUMN token TEXT;
ALTER TABLE probe_shards DROP COLUMN leases;

UPDATE probe_shards SET until = NULL, begun = NULL WHERE until IS NOT NULL;

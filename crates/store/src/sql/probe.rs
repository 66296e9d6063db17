//! The SQL of what the probe measures; as its parent says, one text for every database.

/// A run of a project by name, with the digest of its revision and the number of its shards.
pub const RUN: &str = "SELECT p.id, p.name, r.digest AS revision, p.address, p.torch, p.device, \
     p.lease, (SELECT count(*) FROM probe_shards s WHERE s.run = p.id) AS shards \
     FROM probe_runs p JOIN revisions r ON r.id = p.revision \
     WHERE p.project = $1 AND p.name = $2";
/// Adds a run.
pub const RUN_INSERT: &str = "INSERT INTO probe_runs \
     (project, name, revision, address, torch, device, lease, created_at, token) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id";
/// Adds shards.
pub const SHARDS_INSERT: &str = "INSERT INTO probe_shards (run, number, part, items) ";
/// The runs of a project that a token opened, but for the newest few.
pub const RUNS_OLD: &str = "SELECT id FROM probe_runs \
     WHERE project = $1 AND token IS NOT DISTINCT FROM $2 AND id NOT IN \
     (SELECT id FROM probe_runs WHERE project = $1 AND token IS NOT DISTINCT FROM $2 \
     ORDER BY id DESC LIMIT $3)";
/// Deletes a run, in an order that leaves no reference behind.
pub const RUN_DELETE: [&str; 3] = [
    "DELETE FROM probe_items WHERE run = $1",
    "DELETE FROM probe_shards WHERE run = $1",
    "DELETE FROM probe_runs WHERE id = $1",
];
/// Deletes what the probe measured of a revision.
pub const REVISION_DELETE: [&str; 4] = [
    "DELETE FROM probe_items WHERE run IN (SELECT id FROM probe_runs WHERE revision = $1)",
    "DELETE FROM probe_shards WHERE run IN (SELECT id FROM probe_runs WHERE revision = $1)",
    "DELETE FROM probe_runs WHERE revision = $1",
    "DELETE FROM probe_tables WHERE revision = $1",
];

/// The leases of a run that have ended, with the items that ran.
pub const LEASES_ENDED: &str = "SELECT begun FROM probe_shards \
     WHERE run = $1 AND until <= $2 AND begun IS NOT NULL";
/// Takes these shards back.
pub const LEASES_END: &str =
    "UPDATE probe_shards SET until = NULL, begun = NULL WHERE run = $1 AND until <= $2";
/// Counts deaths and losses of an item.
pub const ITEM_COUNT: &str = "INSERT INTO probe_items (run, item, kills, losses) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (run, item) DO UPDATE \
     SET kills = probe_items.kills + excluded.kills, losses = probe_items.losses + excluded.losses";
/// Raises the deaths of an item to a number.
pub const ITEM_RAISE: &str = "INSERT INTO probe_items (run, item, kills, losses) \
     VALUES ($1, $2, $3, 0) ON CONFLICT (run, item) DO UPDATE SET kills = \
     CASE WHEN probe_items.kills < excluded.kills THEN excluded.kills ELSE probe_items.kills END";
/// The items of a run that killed processes or were lost.
pub const ITEMS: &str = "SELECT item, kills, losses FROM probe_items WHERE run = $1 ORDER BY item";
/// The first shard that nobody has.
pub const SHARD_FREE: &str = "SELECT number, part, items FROM probe_shards \
     WHERE run = $1 AND until IS NULL AND digest IS NULL ORDER BY number LIMIT 1";
/// When the first lease ends; null where there is none.
pub const LEASE_FIRST_END: &str = "SELECT MIN(until) FROM probe_shards WHERE run = $1";
/// How many shards of a run have no result.
pub const SHARDS_OPEN: &str = "SELECT count(*) FROM probe_shards WHERE run = $1 AND digest IS NULL";
/// Leases a shard.
pub const SHARD_LEASE: &str = "UPDATE probe_shards SET until = $3, worker = $4, secret = $5, \
     token = $6, begun = NULL WHERE run = $1 AND number = $2";
/// A shard without its results.
pub const SHARD: &str = "SELECT part, items, secret, token, until, digest FROM probe_shards \
     WHERE run = $1 AND number = $2";
/// Renews a lease.
pub const SHARD_RENEW: &str =
    "UPDATE probe_shards SET until = $3, begun = $4 WHERE run = $1 AND number = $2";
/// Gives a shard back.
pub const SHARD_RELEASE: &str =
    "UPDATE probe_shards SET until = NULL, begun = NULL WHERE run = $1 AND number = $2";
/// Gives a shard its result.
pub const SHARD_FINISH: &str = "UPDATE probe_shards SET until = NULL, begun = NULL, digest = $3, \
     results = $4, rank = $5, outcomes = $6 WHERE run = $1 AND number = $2";
/// How far the shards of a run are.
pub const SHARD_STATES: &str = "SELECT number, begun, until, worker, rank, outcomes \
     FROM probe_shards WHERE run = $1 ORDER BY number";
/// How many characters the results of a run have.
pub const RESULTS_LENGTH: &str = "SELECT CAST(COALESCE(SUM(LENGTH(results)), 0) AS BIGINT) \
     FROM probe_shards WHERE run = $1";
/// The results of a run.
pub const RESULTS: &str = "SELECT part, results FROM probe_shards \
     WHERE run = $1 AND results IS NOT NULL ORDER BY number";

/// How long items took on a device.
pub const DURATIONS: &str = "SELECT part, item, milliseconds FROM probe_durations \
     WHERE project = $1 AND device = $2 ORDER BY part, item";
/// Adds durations.
pub const DURATIONS_INSERT: &str =
    "INSERT INTO probe_durations (project, device, part, item, milliseconds) ";
/// Ends it: a new duration replaces the old one.
pub const DURATIONS_REPLACE: &str = " ON CONFLICT (project, device, part, item) \
     DO UPDATE SET milliseconds = excluded.milliseconds";

/// A dump by digest.
pub const DUMP_FIND: &str = "SELECT id FROM probe_dumps WHERE digest = $1";
/// Adds a dump.
pub const DUMP_INSERT: &str =
    "INSERT INTO probe_dumps (digest, bytes, content) VALUES ($1, $2, $3) RETURNING id";
/// How many dumps a revision has.
pub const TABLES_COUNT: &str = "SELECT count(*) FROM probe_tables WHERE revision = $1";
/// Gives a revision a dump, unless it has it.
pub const TABLES_INSERT: &str = "INSERT INTO probe_tables \
     (revision, dump, torch, device, recorded_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (revision, dump) DO NOTHING";
/// The dumps of a revision, the last first.
pub const TABLES: &str = "SELECT d.digest, d.bytes, t.torch, t.device, t.recorded_at \
     FROM probe_tables t JOIN probe_dumps d ON d.id = t.dump \
     WHERE t.revision = $1 ORDER BY t.recorded_at DESC, d.id DESC";
/// The content of a dump of a revision.
pub const TABLES_CONTENT: &str = "SELECT d.bytes, d.content FROM probe_tables t \
     JOIN probe_dumps d ON d.id = t.dump WHERE t.revision = $1 AND d.digest = $2";
/// Deletes the dumps that no revision has.
pub const DUMPS_UNNEEDED_DELETE: &str =
    "DELETE FROM probe_dumps WHERE id NOT IN (SELECT dump FROM probe_tables)";
/// All dumps.
pub const ALL_DUMPS: &str = "SELECT id, digest, bytes, content FROM probe_dumps";
/// All results.
pub const ALL_RESULTS: &str =
    "SELECT run, number, digest, results FROM probe_shards WHERE digest IS NOT NULL";

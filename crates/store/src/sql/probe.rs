//! The SQL of probe runs and table dumps.

pub const RUN: &str = "SELECT p.id, p.name, r.digest AS revision, p.address, p.torch, p.device, \
     p.lease, p.created_at, (SELECT count(*) FROM probe_shards s WHERE s.run = p.id) AS shards \
     FROM probe_runs p JOIN revisions r ON r.id = p.revision \
     WHERE p.project = $1 AND p.name = $2";
/// A page of the runs of a project, the newest first.
pub const RUNS_BEFORE: &str = "SELECT p.id, p.name, r.digest AS revision, p.address, p.torch, \
     p.device, p.lease, p.created_at, \
     (SELECT count(*) FROM probe_shards s WHERE s.run = p.id) AS shards \
     FROM probe_runs p JOIN revisions r ON r.id = p.revision \
     WHERE p.project = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT $3";
/// The shards of a run by their outcomes, with the number of their items; shards without a result
/// have no outcomes.
pub const SUMS_SQLITE: &str = "SELECT outcomes, count(*) AS shards, \
     CAST(SUM(json_array_length(items)) AS BIGINT) AS items \
     FROM probe_shards WHERE run = $1 GROUP BY outcomes";
pub const SUMS_POSTGRES: &str = "SELECT outcomes, count(*) AS shards, \
     CAST(SUM(json_array_length(CAST(items AS json))) AS BIGINT) AS items \
     FROM probe_shards WHERE run = $1 GROUP BY outcomes";
pub const RUN_INSERT: &str = "INSERT INTO probe_runs \
     (project, name, revision, address, torch, device, lease, created_at, token) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id";
pub const SHARDS_INSERT: &str = "INSERT INTO probe_shards (run, number, part, items) ";
/// The runs that a token opened in a project, except the newest ones.
pub const RUNS_OLD: &str = "SELECT id FROM probe_runs \
     WHERE project = $1 AND token IS NOT DISTINCT FROM $2 AND id NOT IN \
     (SELECT id FROM probe_runs WHERE project = $1 AND token IS NOT DISTINCT FROM $2 \
     ORDER BY id DESC LIMIT $3)";
/// In an order that leaves no dangling reference.
pub const RUN_DELETE: [&str; 3] = [
    "DELETE FROM probe_items WHERE run = $1",
    "DELETE FROM probe_shards WHERE run = $1",
    "DELETE FROM probe_runs WHERE id = $1",
];
pub const REVISION_DELETE: [&str; 4] = [
    "DELETE FROM probe_items WHERE run IN (SELECT id FROM probe_runs WHERE revision = $1)",
    "DELETE FROM probe_shards WHERE run IN (SELECT id FROM probe_runs WHERE revision = $1)",
    "DELETE FROM probe_runs WHERE revision = $1",
    "DELETE FROM probe_tables WHERE revision = $1",
];

pub const LEASES_ENDED: &str = "SELECT begun FROM probe_shards \
     WHERE run = $1 AND until <= $2 AND begun IS NOT NULL";
pub const LEASES_END: &str =
    "UPDATE probe_shards SET until = NULL, begun = NULL WHERE run = $1 AND until <= $2";
/// Increments the counts of an item.
pub const ITEM_COUNT: &str = "INSERT INTO probe_items (run, item, kills, losses) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (run, item) DO UPDATE \
     SET kills = probe_items.kills + excluded.kills, losses = probe_items.losses + excluded.losses";
/// Raises the kills of an item to at least a number.
pub const ITEM_RAISE: &str = "INSERT INTO probe_items (run, item, kills, losses) \
     VALUES ($1, $2, $3, 0) ON CONFLICT (run, item) DO UPDATE SET kills = \
     CASE WHEN probe_items.kills < excluded.kills THEN excluded.kills ELSE probe_items.kills END";
pub const ITEMS: &str = "SELECT item, kills, losses FROM probe_items WHERE run = $1 ORDER BY item";
/// The first shard without a lease and a result.
pub const SHARD_FREE: &str = "SELECT number, part, items FROM probe_shards \
     WHERE run = $1 AND until IS NULL AND digest IS NULL ORDER BY number LIMIT 1";
pub const LEASE_FIRST_END: &str = "SELECT MIN(until) FROM probe_shards WHERE run = $1";
/// The number of shards without a result.
pub const SHARDS_OPEN: &str = "SELECT count(*) FROM probe_shards WHERE run = $1 AND digest IS NULL";
pub const SHARD_LEASE: &str = "UPDATE probe_shards SET until = $3, worker = $4, secret = $5, \
     token = $6, begun = NULL WHERE run = $1 AND number = $2";
pub const SHARD: &str = "SELECT part, items, secret, token, until, digest FROM probe_shards \
     WHERE run = $1 AND number = $2";
pub const SHARD_RENEW: &str =
    "UPDATE probe_shards SET until = $3, begun = $4 WHERE run = $1 AND number = $2";
pub const SHARD_RELEASE: &str =
    "UPDATE probe_shards SET until = NULL, begun = NULL WHERE run = $1 AND number = $2";
pub const SHARD_FINISH: &str = "UPDATE probe_shards SET until = NULL, begun = NULL, digest = $3, \
     results = $4, rank = $5, outcomes = $6 WHERE run = $1 AND number = $2";
pub const SHARD_STATES: &str = "SELECT number, begun, until, worker, rank, outcomes \
     FROM probe_shards WHERE run = $1 ORDER BY number";
/// The total length of a run's results, in characters.
pub const RESULTS_LENGTH: &str = "SELECT CAST(COALESCE(SUM(LENGTH(results)), 0) AS BIGINT) \
     FROM probe_shards WHERE run = $1";
pub const RESULTS: &str = "SELECT part, results FROM probe_shards \
     WHERE run = $1 AND results IS NOT NULL ORDER BY number";

pub const DURATIONS: &str = "SELECT part, item, milliseconds FROM probe_durations \
     WHERE project = $1 AND device = $2 ORDER BY part, item";
pub const DURATIONS_INSERT: &str =
    "INSERT INTO probe_durations (project, device, part, item, milliseconds) ";
/// Completes [`DURATIONS_INSERT`].
pub const DURATIONS_REPLACE: &str = " ON CONFLICT (project, device, part, item) \
     DO UPDATE SET milliseconds = excluded.milliseconds";

pub const DUMP_FIND: &str = "SELECT id FROM probe_dumps WHERE digest = $1";
pub const DUMP_INSERT: &str =
    "INSERT INTO probe_dumps (digest, bytes, content) VALUES ($1, $2, $3) RETURNING id";
pub const TABLES_COUNT: &str = "SELECT count(*) FROM probe_tables WHERE revision = $1";
pub const TABLES_INSERT: &str = "INSERT INTO probe_tables \
     (revision, dump, torch, device, recorded_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (revision, dump) DO NOTHING";
/// The dumps of a revision, the last one first.
pub const TABLES: &str = "SELECT d.digest, d.bytes, t.torch, t.device, t.recorded_at \
     FROM probe_tables t JOIN probe_dumps d ON d.id = t.dump \
     WHERE t.revision = $1 ORDER BY t.recorded_at DESC, d.id DESC";
pub const TABLES_CONTENT: &str = "SELECT d.bytes, d.content FROM probe_tables t \
     JOIN probe_dumps d ON d.id = t.dump WHERE t.revision = $1 AND d.digest = $2";
pub const DUMPS_UNNEEDED_DELETE: &str =
    "DELETE FROM probe_dumps WHERE id NOT IN (SELECT dump FROM probe_tables)";
pub const ALL_DUMPS: &str = "SELECT id, digest, bytes, content FROM probe_dumps";
pub const ALL_RESULTS: &str =
    "SELECT run, number, digest, results FROM probe_shards WHERE digest IS NOT NULL";

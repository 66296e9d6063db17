//! The SQL of the store, for every database unless a name says otherwise. Statements that end in
//! `IN (` are completed with values, those that end in a list of columns with rows.

pub mod probe;

pub const PING: &str = "SELECT CAST(1 AS BIGINT)";
/// Changes nothing, but fails in a read-only database.
pub const CHANGE_NOTHING: &str = "DELETE FROM projects WHERE FALSE";

// Projects.

pub const PROJECT_ID: &str = "SELECT id FROM projects WHERE name = $1";
pub const PROJECT: &str = "SELECT id, name, description, policy, created_at, \
     (SELECT count(*) FROM revisions r WHERE r.project = p.id) AS revisions \
     FROM projects p WHERE name = $1";
pub const PROJECTS_AFTER: &str = "SELECT id, name, description, policy, created_at, \
     (SELECT count(*) FROM revisions r WHERE r.project = p.id) AS revisions \
     FROM projects p WHERE name > $1 ORDER BY name LIMIT $2";
/// Returns no row if the name is taken.
pub const PROJECT_INSERT: &str = "INSERT INTO projects (name, description, policy, created_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING id";
pub const PROJECT_UPDATE: &str = "UPDATE projects SET description = $2, policy = $3 WHERE id = $1";
/// In an order that leaves no dangling reference.
pub const PROJECT_DELETE: [&str; 14] = [
    "DELETE FROM idempotency_keys WHERE project = (SELECT name FROM projects WHERE id = $1)",
    "DELETE FROM probe_items WHERE run IN (SELECT id FROM probe_runs WHERE project = $1)",
    "DELETE FROM probe_shards WHERE run IN (SELECT id FROM probe_runs WHERE project = $1)",
    "DELETE FROM probe_runs WHERE project = $1",
    "DELETE FROM probe_durations WHERE project = $1",
    "DELETE FROM probe_tables WHERE revision IN (SELECT id FROM revisions WHERE project = $1)",
    "DELETE FROM step_operators WHERE project = $1",
    "DELETE FROM steps WHERE project = $1",
    "DELETE FROM commits WHERE project = $1",
    "DELETE FROM exceptions WHERE project = $1",
    "DELETE FROM labels WHERE project = $1",
    "DELETE FROM revision_files WHERE revision IN (SELECT id FROM revisions WHERE project = $1)",
    "DELETE FROM revisions WHERE project = $1",
    "DELETE FROM projects WHERE id = $1",
];

// Revisions.

pub const REVISIONS_IN_RANGE: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND digest >= $2 AND digest <= $3 ORDER BY digest LIMIT $4";
pub const REVISIONS_BEFORE: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
pub const REVISIONS_AFTER: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND id > $2 ORDER BY id";
pub const LABELS_AFTER: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 AND l.revision > $2 \
     ORDER BY l.revision, l.name";
pub const REVISIONS_NAMED: &str = "SELECT id, digest FROM revisions \
     WHERE project = (SELECT id FROM projects WHERE name = $1) AND digest IN (";
pub const REVISIONS_KNOWN: &str =
    "SELECT id, digest FROM revisions WHERE project = $1 AND digest IN (";
pub const REVISIONS_INSERT: &str = "INSERT INTO revisions (project, digest, ingested_at) ";
pub const REVISION_FILES_INSERT: &str = "INSERT INTO revision_files (revision, name, file) ";
pub const REVISION_FILES_DELETE: &str = "DELETE FROM revision_files WHERE revision = $1";
pub const REVISION_DELETE: &str = "DELETE FROM revisions WHERE id = $1";
/// Removes a revision from the timeline, except for `step_operators`, which are swept later.
pub const REVISION_HISTORY_DELETE: [&str; 2] = [
    "DELETE FROM commits WHERE revision = $1",
    "DELETE FROM steps WHERE head = $1 OR base = $1",
];
/// Sweeps the rows of deleted steps.
pub const STEP_OPERATORS_UNNEEDED_DELETE: &str =
    "DELETE FROM step_operators WHERE step NOT IN (SELECT id FROM steps)";
pub const FILES_OF_REVISIONS: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes \
     FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision IN (";
pub const FILES_WITH_GROUPS: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes, \
     f.runs AS groups FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision IN (";
pub const FILE_OF_REVISION: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes, \
     f.runs AS groups FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision = $1 AND rf.name = $2";

// Labels.

pub const LABEL: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 AND l.name = $2";
pub const LABEL_NAMED: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) AND l.name = $2";
pub const LABELS: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) ORDER BY l.name";
pub const LABELS_NUMBERED: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) AND \
     SUBSTR(l.name, 1, 1) IN ('v', 'V', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9') \
     ORDER BY l.name";
pub const LABELS_OF_REVISIONS: &str = "SELECT l.name, l.revision, l.release, l.moved_at, l.created_at, \
     l.creator, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.revision IN (";
/// A label that moves keeps its creator.
pub const LABEL_SET: &str = "INSERT INTO labels (project, name, revision, release, moved_at, \
     created_at, creator) VALUES ($1, $2, $3, $4, $5, $5, $6) ON CONFLICT (project, name) \
     DO UPDATE SET revision = excluded.revision, release = excluded.release, \
     moved_at = excluded.moved_at";
pub const LABEL_DELETE: &str = "DELETE FROM labels WHERE project = $1 AND name = $2";

// History.

pub const STAMP: &str = "SELECT id AS project, created_at AS born, stamp AS now, commits_rearranged AS commits, \
     revisions_rearranged AS revisions FROM projects WHERE id = $1";
pub const STAMP_BUMP: &str = "UPDATE projects SET stamp = stamp + 1, \
     commits_rearranged = CASE WHEN $2 THEN stamp + 1 ELSE commits_rearranged END, \
     revisions_rearranged = CASE WHEN $3 THEN stamp + 1 ELSE revisions_rearranged END WHERE id = $1";
pub const COMMITS_AFTER: &str = "SELECT c.id, c.position, c.revision, c.release, c.author_date, \
     c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.project = $1 AND c.position > $2 ORDER BY c.position, c.id";
pub const COMMIT_LAST_POSITION: &str = "SELECT MAX(position) FROM commits WHERE project = $1";
pub const COMMIT_LAST: &str = "SELECT c.id, c.position, c.revision, c.release, c.author_date, \
     c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.project = $1 ORDER BY c.position DESC, c.id DESC LIMIT 1";
pub const COMMITS_OF_REVISIONS: &str = "SELECT c.id, c.position, c.revision, c.release, \
     c.author_date, c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.revision IN (";
pub const COMMITS_INSERT: &str =
    "INSERT INTO commits (project, id, position, revision, release, author_date, subject) ";
/// Completes [`COMMITS_INSERT`]; returns the new commits.
pub const COMMITS_NEW: &str = " ON CONFLICT (project, id) DO NOTHING RETURNING id";
pub const COMMIT_PLACE: &str = "UPDATE commits SET position = $3 WHERE project = $1 AND id = $2";
pub const STEPS: &str = "SELECT id, base, head, base_release, head_release, program FROM steps \
     WHERE project = $1 AND program = $2";
pub const STEPS_OF_HEADS: &str = "SELECT id, base, head, base_release, head_release, program \
     FROM steps WHERE head IN (";
pub const STEP_FACTS: &str = "SELECT facts FROM steps WHERE id = $1";
/// Steps of other step formats.
pub const STEPS_STALE: &str = "SELECT COUNT(*) FROM steps WHERE project = $1 AND program <> $2";
pub const STEPS_STALE_DELETE: [&str; 2] = [
    "DELETE FROM step_operators WHERE project = $1 \
     AND step IN (SELECT id FROM steps WHERE project = $1 AND program <> $2)",
    "DELETE FROM steps WHERE project = $1 AND program <> $2",
];
pub const STEPS_INSERT: &str =
    "INSERT INTO steps (project, head, base, head_release, base_release, program, facts) ";
/// Completes [`STEPS_INSERT`].
pub const STEPS_NEW: &str = " RETURNING id, base, head, base_release, head_release, program";
pub const STEP_OPERATORS_INSERT: &str =
    "INSERT INTO step_operators (project, operator, step, says) ";
pub const STEPS_OF_OPERATOR: &str = "SELECT step, says FROM step_operators \
     WHERE project = (SELECT id FROM projects WHERE name = $1) \
     AND operator = $2 AND step BETWEEN $3 AND $4";
pub const STEPS_SAID: &str = "SELECT operator, step, says FROM step_operators \
     WHERE project = $1 AND (operator, step) > ($2, $3) AND step > $4 AND step <= $5 \
     ORDER BY operator, step LIMIT $6";

// Exceptions.

pub const EXCEPTION_INSERT: &str = "INSERT INTO exceptions (project, id, operator, rule, argument, \
     reason, owner, until_date, until_release, broad, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
pub const EXCEPTIONS: &str = "SELECT id, operator, rule, argument, reason, owner, until_date, \
     until_release, broad, created_at FROM exceptions \
     WHERE project = (SELECT id FROM projects WHERE name = $1) ORDER BY created_at, id";
pub const EXCEPTION_EXTEND: &str = "UPDATE exceptions SET until_date = $3, until_release = $4 \
     WHERE project = $1 AND id = $2";
pub const EXCEPTION_DELETE: &str = "DELETE FROM exceptions WHERE project = $1 AND id = $2";

// Content. The writer holds the lock, so what it found absent is still absent when it is inserted.

pub const CHUNKS_KNOWN: &str = "SELECT id, digest FROM pieces WHERE digest IN (";
pub const GROUPS_KNOWN: &str = "SELECT id, digest FROM runs WHERE digest IN (";
pub const FILES_KNOWN: &str = "SELECT id, digest FROM files WHERE digest IN (";
pub const CHUNKS_INSERT: &str = "INSERT INTO pieces (digest, content) ";
pub const GROUPS_INSERT: &str = "INSERT INTO runs (digest, pieces) ";
pub const FILES_INSERT: &str = "INSERT INTO files (digest, bytes, runs) ";
/// Completes statements that insert chunks, groups, files or revisions.
pub const RETURNING_IDS: &str = " RETURNING id, digest";
/// Chunks by id, packed into one row: a row costs more than a small chunk. The ids are one text, so
/// that the statement is parsed once.
pub const CHUNKS_SQLITE: &str = "SELECT group_concat(pieces.id), group_concat(length(content)), \
     group_concat(content, '') \
     FROM json_each('[' || $1 || ']') AS wanted CROSS JOIN pieces ON pieces.id = wanted.value";
pub const CHUNKS_POSTGRES: &str = "SELECT string_agg(CAST(id AS text), ','), \
     string_agg(CAST(length(content) AS text), ','), string_agg(content, '') \
     FROM pieces WHERE id = ANY (CAST(string_to_array($1, ',') AS bigint[]))";
pub const GROUPS_SQLITE: &str = "SELECT group_concat(runs.id), group_concat(length(pieces)), \
     group_concat(pieces, '') \
     FROM json_each('[' || $1 || ']') AS wanted CROSS JOIN runs ON runs.id = wanted.value";
pub const GROUPS_POSTGRES: &str = "SELECT string_agg(CAST(id AS text), ','), \
     string_agg(CAST(length(pieces) AS text), ','), string_agg(pieces, '') \
     FROM runs WHERE id = ANY (CAST(string_to_array($1, ',') AS bigint[]))";

// Tokens.

pub const TOKEN_INSERT: &str = "INSERT INTO tokens (id, name, hash, signing_key, projects, actions, \
     created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
pub const TOKENS: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens ORDER BY created_at, id";
pub const TOKEN_BY_HASH: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens WHERE hash = $1";
pub const TOKEN_BY_ID: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens WHERE id = $1";
pub const TOKEN_REVOKE: &str =
    "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
pub const TOKEN_TOUCH: &str = "UPDATE tokens SET last_used_at = $2 WHERE id = $1";

// Idempotency keys.

/// Expired keys, and those whose request never ended.
pub const KEYS_EXPIRED_DELETE: &str = "DELETE FROM idempotency_keys \
     WHERE created_at < $1 OR (status IS NULL AND created_at < $2)";
pub const KEY: &str = "SELECT request, status, location, body FROM idempotency_keys \
     WHERE owner = $1 AND project = $2 AND name = $3";
pub const KEY_INSERT: &str = "INSERT INTO idempotency_keys (owner, project, name, request, created_at) \
     VALUES ($1, $2, $3, $4, $5)";
pub const KEY_ANSWER: &str = "UPDATE idempotency_keys SET status = $5, location = $6, body = $7 \
     WHERE owner = $1 AND project = $2 AND name = $3 AND created_at = $4";
pub const KEY_DELETE: &str = "DELETE FROM idempotency_keys \
     WHERE owner = $1 AND project = $2 AND name = $3 AND created_at = $4 AND status IS NULL";
pub const KEYS_COUNT: &str =
    "SELECT COUNT(*) FROM idempotency_keys WHERE owner = $1 AND project = $2";
/// The oldest key that has an answer.
pub const KEY_OLDEST_DELETE: &str = "DELETE FROM idempotency_keys \
     WHERE owner = $1 AND project = $2 AND name = (SELECT name FROM idempotency_keys \
     WHERE owner = $1 AND project = $2 AND status IS NOT NULL ORDER BY created_at, name LIMIT 1)";

// Maintenance.

/// Whether the database is empty, and a backup can be restored into it.
pub const ANYTHING: &str = "SELECT CAST((SELECT count(*) FROM projects) + \
     (SELECT count(*) FROM pieces) + (SELECT count(*) FROM tokens) AS BIGINT)";
pub const ALL_CHUNKS: &str = "SELECT id, digest, content FROM pieces";
pub const ALL_GROUPS: &str = "SELECT id, digest, pieces FROM runs";
pub const ALL_FILES: &str = "SELECT id FROM files ORDER BY id";
pub const FILE_LISTS: &str = "SELECT digest, runs FROM files WHERE id = $1";
/// Has the columns of [`FILE_OF_REVISION`].
pub const FILE_BY_ID: &str = "SELECT CAST(0 AS BIGINT) AS revision, CAST(id AS TEXT) AS name, digest, \
     bytes, runs AS groups FROM files WHERE id = $1";
pub const ALL_REVISION_FILES: &str = "SELECT revision, name, file FROM revision_files";
pub const ALL_REVISIONS: &str = "SELECT id, digest FROM revisions ORDER BY id";
/// Labels whose revision is missing or belongs to another project.
pub const LABELS_ASTRAY: &str = "SELECT l.name, l.revision FROM labels l WHERE NOT EXISTS \
     (SELECT 1 FROM revisions r WHERE r.id = l.revision AND r.project = l.project) \
     ORDER BY l.name";
pub const ALL_LABELS: &str = "SELECT p.name, l.name FROM labels l \
     JOIN projects p ON p.id = l.project ORDER BY p.name, l.name";
/// Unlabeled revisions from before a time, in one project or all.
pub const REVISIONS_UNLABELLED: &str = "SELECT r.id, r.digest, p.id, p.name FROM revisions r \
     JOIN projects p ON p.id = r.project \
     WHERE r.ingested_at < $1 AND (CAST($2 AS BIGINT) IS NULL OR r.project = $2) \
     AND r.id NOT IN (SELECT revision FROM labels) \
     AND r.id NOT IN (SELECT revision FROM commits) ORDER BY r.id";
pub const FILES_UNNEEDED_DELETE: &str =
    "DELETE FROM files WHERE id NOT IN (SELECT file FROM revision_files)";
pub const GROUP_LISTS: &str = "SELECT runs FROM files";
pub const CHUNK_LISTS: &str = "SELECT pieces FROM runs";
pub const GROUP_IDS: &str = "SELECT id FROM runs";
pub const CHUNK_IDS: &str = "SELECT id FROM pieces";
pub const GROUPS_DELETE: &str = "DELETE FROM runs WHERE id IN (";
pub const CHUNKS_DELETE: &str = "DELETE FROM pieces WHERE id IN (";

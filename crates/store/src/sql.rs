//! The SQL of the store, one text for every database: `$n` placeholders, `ON CONFLICT`,
//! `RETURNING`, and nothing that one database alone understands, where it does not say so. Statements that end in `IN (` are
//! completed with as many values as are at hand, those that end in a list of columns with rows.

pub mod probe;

/// Finds out whether the database answers.
pub const PING: &str = "SELECT CAST(1 AS BIGINT)";
/// Changes nothing, but fails where nothing can be changed.
pub const CHANGE_NOTHING: &str = "DELETE FROM projects WHERE FALSE";

// Projects.

/// The row of a project by name.
pub const PROJECT_ID: &str = "SELECT id FROM projects WHERE name = $1";
/// A project by name.
pub const PROJECT: &str = "SELECT id, name, description, policy, created_at, \
     (SELECT count(*) FROM revisions r WHERE r.project = p.id) AS revisions \
     FROM projects p WHERE name = $1";
/// Projects after a name, in order.
pub const PROJECTS_AFTER: &str = "SELECT id, name, description, policy, created_at, \
     (SELECT count(*) FROM revisions r WHERE r.project = p.id) AS revisions \
     FROM projects p WHERE name > $1 ORDER BY name LIMIT $2";
/// Makes a project; no row when there is one of that name.
pub const PROJECT_INSERT: &str = "INSERT INTO projects (name, description, policy, created_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING id";
/// Changes a project.
pub const PROJECT_UPDATE: &str = "UPDATE projects SET description = $2, policy = $3 WHERE id = $1";
/// Deletes a project and what belongs to it, in an order that leaves no reference behind.
pub const PROJECT_DELETE: [&str; 13] = [
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

/// Revisions of a project whose digests lie in a range, the first few.
pub const REVISIONS_IN_RANGE: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND digest >= $2 AND digest <= $3 ORDER BY digest LIMIT $4";
/// Revisions of a project before a place in the order of ingest, newest first.
pub const REVISIONS_BEFORE: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
/// All revisions of a project that were ingested after one, oldest first.
pub const REVISIONS_AFTER: &str = "SELECT id, digest, ingested_at FROM revisions \
     WHERE project = $1 AND id > $2 ORDER BY id";
/// The labels that name them, one revision after the other.
pub const LABELS_AFTER: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 AND l.revision > $2 \
     ORDER BY l.revision, l.name";
/// Which of these revisions a project has, by its name.
pub const REVISIONS_NAMED: &str = "SELECT id, digest FROM revisions \
     WHERE project = (SELECT id FROM projects WHERE name = $1) AND digest IN (";
/// Which of these revisions a project has.
pub const REVISIONS_KNOWN: &str =
    "SELECT id, digest FROM revisions WHERE project = $1 AND digest IN (";
/// Adds revisions.
pub const REVISIONS_INSERT: &str = "INSERT INTO revisions (project, digest, ingested_at) ";
/// Gives a revision its files.
pub const REVISION_FILES_INSERT: &str = "INSERT INTO revision_files (revision, name, file) ";
/// Takes its files from a revision.
pub const REVISION_FILES_DELETE: &str = "DELETE FROM revision_files WHERE revision = $1";
/// Deletes a revision.
pub const REVISION_DELETE: &str = "DELETE FROM revisions WHERE id = $1";
/// Takes a revision off the timeline; what its steps did to operators is left over.
pub const REVISION_HISTORY_DELETE: [&str; 2] = [
    "DELETE FROM commits WHERE revision = $1",
    "DELETE FROM steps WHERE head = $1 OR base = $1",
];
/// Deletes the facts of removed steps.
pub const STEP_OPERATORS_UNNEEDED_DELETE: &str =
    "DELETE FROM step_operators WHERE step NOT IN (SELECT id FROM steps)";
/// The files of some revisions, without their content.
pub const FILES_OF_REVISIONS: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes \
     FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision IN (";
/// The files of some revisions, with the groups that they consist of.
pub const FILES_WITH_GROUPS: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes, \
     f.runs AS groups FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision IN (";
/// One file of a revision, in the same form.
pub const FILE_OF_REVISION: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes, \
     f.runs AS groups FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision = $1 AND rf.name = $2";

// Labels.

/// A label of a project.
pub const LABEL: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 AND l.name = $2";
/// The same by the name of the project.
pub const LABEL_NAMED: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) AND l.name = $2";
/// All labels of a project, by its name, in order.
pub const LABELS: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) ORDER BY l.name";
/// Those of them that begin as versions do.
pub const LABELS_NUMBERED: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision \
     WHERE l.project = (SELECT id FROM projects WHERE name = $1) AND \
     SUBSTR(l.name, 1, 1) IN ('v', 'V', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9') \
     ORDER BY l.name";
/// The labels of some revisions.
pub const LABELS_OF_REVISIONS: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.revision IN (";
/// Makes or moves a label.
pub const LABEL_SET: &str = "INSERT INTO labels (project, name, revision, release, moved_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (project, name) \
     DO UPDATE SET revision = excluded.revision, release = excluded.release, \
     moved_at = excluded.moved_at";
/// Deletes a label.
pub const LABEL_DELETE: &str = "DELETE FROM labels WHERE project = $1 AND name = $2";

// History.

/// Which project it is, and how often what its timeline is made of has changed.
pub const STAMP: &str = "SELECT id AS project, created_at AS born, stamp AS now, commits_rearranged AS commits, \
     revisions_rearranged AS revisions FROM projects WHERE id = $1";
/// Notes that it has changed, and whether otherwise than by new commits or revisions at the end.
pub const STAMP_BUMP: &str = "UPDATE projects SET stamp = stamp + 1, \
     commits_rearranged = CASE WHEN $2 THEN stamp + 1 ELSE commits_rearranged END, \
     revisions_rearranged = CASE WHEN $3 THEN stamp + 1 ELSE revisions_rearranged END WHERE id = $1";
/// The commits of a project after a position, in order.
pub const COMMITS_AFTER: &str = "SELECT c.id, c.position, c.revision, c.release, c.author_date, \
     c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.project = $1 AND c.position > $2 ORDER BY c.position, c.id";
/// The last position of a project's commits.
pub const COMMIT_LAST_POSITION: &str = "SELECT MAX(position) FROM commits WHERE project = $1";
/// The last commit of a project.
pub const COMMIT_LAST: &str = "SELECT c.id, c.position, c.revision, c.release, c.author_date, \
     c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.project = $1 ORDER BY c.position DESC, c.id DESC LIMIT 1";
/// The commits of some revisions.
pub const COMMITS_OF_REVISIONS: &str = "SELECT c.id, c.position, c.revision, c.release, \
     c.author_date, c.subject, r.digest FROM commits c JOIN revisions r ON r.id = c.revision \
     WHERE c.revision IN (";
/// Adds commits.
pub const COMMITS_INSERT: &str =
    "INSERT INTO commits (project, id, position, revision, release, author_date, subject) ";
/// Ends it: those that are there stay as they are, and the answer has the others.
pub const COMMITS_NEW: &str = " ON CONFLICT (project, id) DO NOTHING RETURNING id";
/// Gives a commit another place.
pub const COMMIT_PLACE: &str = "UPDATE commits SET position = $3 WHERE project = $1 AND id = $2";
/// The steps of a project that a program computed.
pub const STEPS: &str = "SELECT id, base, head, base_release, head_release, program FROM steps \
     WHERE project = $1 AND program = $2";
/// The steps that lead to some revisions, whoever computed them.
pub const STEPS_OF_HEADS: &str = "SELECT id, base, head, base_release, head_release, program \
     FROM steps WHERE head IN (";
/// What is known of the heads of steps.
pub const STEP_FACTS: &str = "SELECT facts FROM steps WHERE id = $1";
/// How many steps of a project another program computed.
pub const STEPS_STALE: &str = "SELECT COUNT(*) FROM steps WHERE project = $1 AND program <> $2";
/// Takes them away.
pub const STEPS_STALE_DELETE: [&str; 2] = [
    "DELETE FROM step_operators WHERE project = $1 \
     AND step IN (SELECT id FROM steps WHERE project = $1 AND program <> $2)",
    "DELETE FROM steps WHERE project = $1 AND program <> $2",
];
/// Adds steps.
pub const STEPS_INSERT: &str =
    "INSERT INTO steps (project, head, base, head_release, base_release, program, facts) ";
/// Ends it: each with the id that it was given.
pub const STEPS_NEW: &str = " RETURNING id, base, head, base_release, head_release, program";
/// Adds what a step did to operators.
pub const STEP_OPERATORS_INSERT: &str =
    "INSERT INTO step_operators (project, operator, step, says) ";
/// What steps did to an operator.
pub const STEPS_OF_OPERATOR: &str = "SELECT step, says FROM step_operators \
     WHERE project = (SELECT id FROM projects WHERE name = $1) \
     AND operator = $2 AND step BETWEEN $3 AND $4";
/// What a range of steps did to operators, from after a row on.
pub const STEPS_SAID: &str = "SELECT operator, step, says FROM step_operators \
     WHERE project = $1 AND (operator, step) > ($2, $3) AND step > $4 AND step <= $5 \
     ORDER BY operator, step LIMIT $6";

// Exceptions.

/// Adds an exception.
pub const EXCEPTION_INSERT: &str = "INSERT INTO exceptions (project, id, operator, rule, argument, \
     reason, owner, until_date, until_release, broad, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
/// The exceptions of a project, oldest first.
pub const EXCEPTIONS: &str = "SELECT id, operator, rule, argument, reason, owner, until_date, \
     until_release, broad, created_at FROM exceptions \
     WHERE project = (SELECT id FROM projects WHERE name = $1) ORDER BY created_at, id";
/// Gives an exception another end.
pub const EXCEPTION_EXTEND: &str = "UPDATE exceptions SET until_date = $3, until_release = $4 \
     WHERE project = $1 AND id = $2";
/// Takes an exception away.
pub const EXCEPTION_DELETE: &str = "DELETE FROM exceptions WHERE project = $1 AND id = $2";

// Content. What is inserted here is known to be absent, since the writer holds the lock.

/// Which of these chunks are there.
pub const CHUNKS_KNOWN: &str = "SELECT id, digest FROM pieces WHERE digest IN (";
/// Which of these groups are there.
pub const GROUPS_KNOWN: &str = "SELECT id, digest FROM runs WHERE digest IN (";
/// Which of these files are there.
pub const FILES_KNOWN: &str = "SELECT id, digest FROM files WHERE digest IN (";
/// Adds chunks.
pub const CHUNKS_INSERT: &str = "INSERT INTO pieces (digest, content) ";
/// Adds groups.
pub const GROUPS_INSERT: &str = "INSERT INTO runs (digest, pieces) ";
/// Adds files.
pub const FILES_INSERT: &str = "INSERT INTO files (digest, bytes, runs) ";
/// Ends the three above, and what adds revisions: the ids that they were given.
pub const RETURNING_IDS: &str = " RETURNING id, digest";
/// Chunks by id, packed into one row: their ids, their sizes and their contents, in one order. A release
/// has thousands of small ones, and each row costs more than what is in it. The ids come as one text with
/// commas in between, so the statement is always the same one: as a list in the statement, a thousand of
/// them took half as long to parse as to look up. (SQLite)
pub const CHUNKS_SQLITE: &str = "SELECT group_concat(pieces.id), group_concat(length(content)), \
     group_concat(content, '') \
     FROM json_each('[' || $1 || ']') AS wanted CROSS JOIN pieces ON pieces.id = wanted.value";
/// The same. (PostgreSQL)
pub const CHUNKS_POSTGRES: &str = "SELECT string_agg(CAST(id AS text), ','), \
     string_agg(CAST(length(content) AS text), ','), string_agg(content, '') \
     FROM pieces WHERE id = ANY (CAST(string_to_array($1, ',') AS bigint[]))";
/// Groups by id, packed in the same way. (SQLite)
pub const GROUPS_SQLITE: &str = "SELECT group_concat(runs.id), group_concat(length(pieces)), \
     group_concat(pieces, '') \
     FROM json_each('[' || $1 || ']') AS wanted CROSS JOIN runs ON runs.id = wanted.value";
/// The same. (PostgreSQL)
pub const GROUPS_POSTGRES: &str = "SELECT string_agg(CAST(id AS text), ','), \
     string_agg(CAST(length(pieces) AS text), ','), string_agg(pieces, '') \
     FROM runs WHERE id = ANY (CAST(string_to_array($1, ',') AS bigint[]))";

// Tokens.

/// Adds a token.
pub const TOKEN_INSERT: &str = "INSERT INTO tokens (id, name, hash, signing_key, projects, actions, \
     created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
/// All tokens, oldest first.
pub const TOKENS: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens ORDER BY created_at, id";
/// A token by the digest of its secret.
pub const TOKEN_BY_HASH: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens WHERE hash = $1";
/// A token by its id.
pub const TOKEN_BY_ID: &str = "SELECT id, name, hash, signing_key, projects, actions, created_at, \
     expires_at, revoked_at, last_used_at FROM tokens WHERE id = $1";
/// Revokes a token that has not been.
pub const TOKEN_REVOKE: &str =
    "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
/// Notes that a token was used.
pub const TOKEN_TOUCH: &str = "UPDATE tokens SET last_used_at = $2 WHERE id = $1";

// Looking after the store.

/// How much is there that a restored backup would mix with.
pub const ANYTHING: &str = "SELECT CAST((SELECT count(*) FROM projects) + \
     (SELECT count(*) FROM pieces) + (SELECT count(*) FROM tokens) AS BIGINT)";
/// All chunks.
pub const ALL_CHUNKS: &str = "SELECT id, digest, content FROM pieces";
/// All groups.
pub const ALL_GROUPS: &str = "SELECT id, digest, pieces FROM runs";
/// The ids of all files.
pub const ALL_FILES: &str = "SELECT id FROM files ORDER BY id";
/// A file by id.
pub const FILE_LISTS: &str = "SELECT digest, runs FROM files WHERE id = $1";
/// A file by id in the form of [`FILE_OF_REVISION`].
pub const FILE_BY_ID: &str = "SELECT CAST(0 AS BIGINT) AS revision, CAST(id AS TEXT) AS name, digest, \
     bytes, runs AS groups FROM files WHERE id = $1";
/// What files all revisions have.
pub const ALL_REVISION_FILES: &str = "SELECT revision, name, file FROM revision_files";
/// All revisions.
pub const ALL_REVISIONS: &str = "SELECT id, digest FROM revisions ORDER BY id";
/// Labels whose revisions are not there, or belong to another project.
pub const LABELS_ASTRAY: &str = "SELECT l.name, l.revision FROM labels l WHERE NOT EXISTS \
     (SELECT 1 FROM revisions r WHERE r.id = l.revision AND r.project = l.project) \
     ORDER BY l.name";
/// Every label with its project.
pub const ALL_LABELS: &str = "SELECT p.name, l.name FROM labels l \
     JOIN projects p ON p.id = l.project ORDER BY p.name, l.name";
/// Revisions from before a time that no label names, of a project or of all.
pub const REVISIONS_UNLABELLED: &str = "SELECT r.id, r.digest, p.id, p.name FROM revisions r \
     JOIN projects p ON p.id = r.project \
     WHERE r.ingested_at < $1 AND (CAST($2 AS BIGINT) IS NULL OR r.project = $2) \
     AND r.id NOT IN (SELECT revision FROM labels) \
     AND r.id NOT IN (SELECT revision FROM commits) ORDER BY r.id";
/// Deletes the files that no revision has.
pub const FILES_UNNEEDED_DELETE: &str =
    "DELETE FROM files WHERE id NOT IN (SELECT file FROM revision_files)";
/// The groups of every file.
pub const GROUP_LISTS: &str = "SELECT runs FROM files";
/// The chunks of every group.
pub const CHUNK_LISTS: &str = "SELECT pieces FROM runs";
/// The ids of all groups.
pub const GROUP_IDS: &str = "SELECT id FROM runs";
/// The ids of all chunks.
pub const CHUNK_IDS: &str = "SELECT id FROM pieces";
/// Deletes groups.
pub const GROUPS_DELETE: &str = "DELETE FROM runs WHERE id IN (";
/// Deletes chunks.
pub const CHUNKS_DELETE: &str = "DELETE FROM pieces WHERE id IN (";

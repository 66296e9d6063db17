//! The SQL of the store, one text for every database: `$n` placeholders, `ON CONFLICT`,
//! `RETURNING`, and nothing that one database alone understands. Statements that end in `IN (` are
//! completed with as many values as are at hand, those that end in a list of columns with rows.

/// Finds out whether the database answers.
pub const PING: &str = "SELECT 1";

// Projects.

/// A project by name.
pub const PROJECT: &str =
    "SELECT id, name, description, policy, created_at FROM projects WHERE name = $1";
/// Projects after a name, in order.
pub const PROJECTS_AFTER: &str = "SELECT id, name, description, policy, created_at FROM projects \
     WHERE name > $1 ORDER BY name LIMIT $2";
/// Makes a project; no row when there is one of that name.
pub const PROJECT_INSERT: &str = "INSERT INTO projects (name, description, policy, created_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING id";
/// Changes a project.
pub const PROJECT_UPDATE: &str = "UPDATE projects SET description = $2, policy = $3 WHERE id = $1";
/// Deletes a project and what belongs to it, in an order that leaves no reference behind.
pub const PROJECT_DELETE: [&str; 4] = [
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
/// Adds a revision.
pub const REVISION_INSERT: &str =
    "INSERT INTO revisions (project, digest, ingested_at) VALUES ($1, $2, $3) RETURNING id";
/// Gives a revision its files.
pub const REVISION_FILES_INSERT: &str = "INSERT INTO revision_files (revision, name, file) ";
/// Takes its files from a revision.
pub const REVISION_FILES_DELETE: &str = "DELETE FROM revision_files WHERE revision = $1";
/// Deletes a revision.
pub const REVISION_DELETE: &str = "DELETE FROM revisions WHERE id = $1";
/// The files of some revisions, without their content.
pub const FILES_OF_REVISIONS: &str = "SELECT rf.revision, rf.name, f.digest, f.bytes \
     FROM revision_files rf JOIN files f ON f.id = rf.file WHERE rf.revision IN (";
/// The files of a revision, with the runs that they consist of.
pub const FILES_OF_REVISION: &str = "SELECT rf.name, f.digest, f.bytes, f.runs \
     FROM revision_files rf JOIN files f ON f.id = rf.file \
     WHERE rf.revision = $1 ORDER BY rf.name";
/// One file of a revision, with the runs that it consists of.
pub const FILE_OF_REVISION: &str = "SELECT rf.name, f.digest, f.bytes, f.runs \
     FROM revision_files rf JOIN files f ON f.id = rf.file \
     WHERE rf.revision = $1 AND rf.name = $2";

// Labels.

/// A label of a project.
pub const LABEL: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 AND l.name = $2";
/// All labels of a project, in order.
pub const LABELS: &str = "SELECT l.name, l.revision, l.release, l.moved_at, r.digest \
     FROM labels l JOIN revisions r ON r.id = l.revision WHERE l.project = $1 ORDER BY l.name";
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

// Content. What is inserted here is known to be absent, since the writer holds the lock.

/// Which of these pieces are there.
pub const PIECES_KNOWN: &str = "SELECT id, digest FROM pieces WHERE digest IN (";
/// Which of these runs are there.
pub const RUNS_KNOWN: &str = "SELECT id, digest FROM runs WHERE digest IN (";
/// Which of these files are there.
pub const FILES_KNOWN: &str = "SELECT id, digest FROM files WHERE digest IN (";
/// Adds pieces.
pub const PIECES_INSERT: &str = "INSERT INTO pieces (digest, content) ";
/// Adds runs.
pub const RUNS_INSERT: &str = "INSERT INTO runs (digest, pieces) ";
/// Adds files.
pub const FILES_INSERT: &str = "INSERT INTO files (digest, bytes, runs) ";
/// Ends the three above: the ids that they were given.
pub const RETURNING_IDS: &str = " RETURNING id, digest";
/// Pieces by id.
pub const PIECES: &str = "SELECT id, content FROM pieces WHERE id IN (";
/// Runs by id.
pub const RUNS: &str = "SELECT id, pieces FROM runs WHERE id IN (";

-- Projects, revisions and labels, and the content they share.
--
-- A file is a list of runs, a run a list of pieces; both lists are ids, each written as the
-- difference to the one before (src/store/ids.rs). Pieces, runs and files are known by SHA-256 and
-- belong to no project. Times are microseconds since 1970-01-01 UTC.

CREATE TABLE projects (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    description TEXT,
    policy      TEXT,
    created_at  BIGINT  NOT NULL
);

CREATE TABLE pieces (
    id      INTEGER PRIMARY KEY,
    digest  BLOB    NOT NULL UNIQUE,
    content BLOB    NOT NULL
);

-- digest: SHA-256 over the digests of the run's pieces.
CREATE TABLE runs (
    id     INTEGER PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE,
    pieces BLOB    NOT NULL
);

-- digest: SHA-256 of the file's bytes, as sha256sum gives it.
CREATE TABLE files (
    id     INTEGER PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE,
    bytes  BIGINT  NOT NULL,
    runs   BLOB    NOT NULL
);

-- id is the order of ingest.
CREATE TABLE revisions (
    id          INTEGER PRIMARY KEY,
    project     BIGINT  NOT NULL REFERENCES projects (id),
    digest      BLOB    NOT NULL,
    ingested_at BIGINT  NOT NULL,
    UNIQUE (project, digest)
);

CREATE INDEX revisions_in_order ON revisions (project, id);

CREATE TABLE revision_files (
    revision BIGINT NOT NULL REFERENCES revisions (id),
    name     TEXT   NOT NULL,
    file     BIGINT NOT NULL REFERENCES files (id),
    PRIMARY KEY (revision, name)
) WITHOUT ROWID;

CREATE TABLE labels (
    project  BIGINT NOT NULL REFERENCES projects (id),
    name     TEXT   NOT NULL,
    revision BIGINT NOT NULL REFERENCES revisions (id),
    release  TEXT,
    moved_at BIGINT NOT NULL,
    PRIMARY KEY (project, name)
) WITHOUT ROWID;

CREATE INDEX labels_by_revision ON labels (revision);

-- Projects, revisions and labels, and the content they share.
--
-- A file is a list of runs, a run a list of pieces; both lists are ids, each written as the
-- difference to the one before (src/store/ids.rs). Pieces, runs and files are known by SHA-256 and
-- belong to no project. Times are microseconds since 1970-01-01 UTC. Names are compared byte by
-- byte, whatever the locale of the database.

CREATE TABLE projects (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        TEXT   COLLATE "C" NOT NULL UNIQUE,
    description TEXT,
    policy      TEXT,
    created_at  BIGINT NOT NULL
);

CREATE TABLE pieces (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest  BYTEA  NOT NULL UNIQUE,
    content BYTEA  NOT NULL
);

-- digest: SHA-256 over the digests of the run's pieces.
CREATE TABLE runs (
    id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest BYTEA  NOT NULL UNIQUE,
    pieces BYTEA  NOT NULL
);

-- digest: SHA-256 of the file's bytes, as sha256sum gives it.
CREATE TABLE files (
    id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest BYTEA  NOT NULL UNIQUE,
    bytes  BIGINT NOT NULL,
    runs   BYTEA  NOT NULL
);

-- id is the order of ingest.
CREATE TABLE revisions (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project     BIGINT NOT NULL REFERENCES projects (id),
    digest      BYTEA  NOT NULL,
    ingested_at BIGINT NOT NULL,
    UNIQUE (project, digest)
);

CREATE INDEX revisions_in_order ON revisions (project, id);

CREATE TABLE revision_files (
    revision BIGINT NOT NULL REFERENCES revisions (id),
    name     TEXT   COLLATE "C" NOT NULL,
    file     BIGINT NOT NULL REFERENCES files (id),
    PRIMARY KEY (revision, name)
);

CREATE TABLE labels (
    project  BIGINT NOT NULL REFERENCES projects (id),
    name     TEXT   COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL REFERENCES revisions (id),
    release  TEXT,
    moved_at BIGINT NOT NULL,
    PRIMARY KEY (project, name)
);

CREATE INDEX labels_by_revision ON labels (revision);

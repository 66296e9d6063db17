-- What workers of the probe measure, by project (docs/probe.md). Times are microseconds since
-- 1970-01-01 UTC.
--
-- A run measures one revision on one device; workers share its shards under the name of the run.
-- address: how the revision was named. lease: for how long a shard is leased, in microseconds.
--
-- A shard is leased if until is set: to worker, for the time that leases says. begun: the item that
-- the worker runs now. results: the rows as JSON, whose SHA-256 is digest; rank and outcomes (JSON)
-- say in short which worker sent them and what came out.
--
-- An item is in probe_items once it killed its process, or was running in a worker that was lost.
-- probe_durations has how long each item took last. A dump is known by the SHA-256 of its JSON text,
-- belongs to no project, and is compressed with zstd.

CREATE TABLE probe_runs (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project    BIGINT  NOT NULL REFERENCES projects (id),
    name       TEXT    COLLATE "C" NOT NULL,
    revision   BIGINT  NOT NULL REFERENCES revisions (id),
    address    TEXT    NOT NULL,
    torch      TEXT    NOT NULL,
    device     TEXT    NOT NULL,
    lease      BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    UNIQUE (project, name)
);

CREATE INDEX probe_runs_by_revision ON probe_runs (revision);

CREATE TABLE probe_shards (
    run      BIGINT NOT NULL REFERENCES probe_runs (id),
    number   BIGINT NOT NULL,
    part     TEXT   NOT NULL,
    items    TEXT   NOT NULL,
    leases   BIGINT NOT NULL,
    until    BIGINT,
    begun    TEXT,
    worker   TEXT,
    digest   BYTEA,
    results  TEXT,
    rank     BIGINT,
    outcomes TEXT,
    PRIMARY KEY (run, number)
);

CREATE TABLE probe_items (
    run    BIGINT NOT NULL REFERENCES probe_runs (id),
    item   TEXT   COLLATE "C" NOT NULL,
    kills  BIGINT NOT NULL,
    losses BIGINT NOT NULL,
    PRIMARY KEY (run, item)
);

CREATE TABLE probe_durations (
    project      BIGINT NOT NULL REFERENCES projects (id),
    device       TEXT   COLLATE "C" NOT NULL,
    part         TEXT   COLLATE "C" NOT NULL,
    item         TEXT   COLLATE "C" NOT NULL,
    milliseconds BIGINT NOT NULL,
    PRIMARY KEY (project, device, part, item)
);

CREATE TABLE probe_dumps (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest  BYTEA   NOT NULL UNIQUE,
    bytes   BIGINT  NOT NULL,
    content BYTEA   NOT NULL
);

CREATE TABLE probe_tables (
    revision    BIGINT NOT NULL REFERENCES revisions (id),
    dump        BIGINT NOT NULL REFERENCES probe_dumps (id),
    torch       TEXT   NOT NULL,
    device      TEXT   NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (revision, dump)
);

CREATE INDEX probe_tables_by_dump ON probe_tables (dump);

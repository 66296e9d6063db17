-- The order of a project's revisions, and what each did to the one before.
--
-- stamp grows with every change of what a project's timeline is made of.
--
-- A commit is a place on the timeline: position grows along it and is not dense. The same files may
-- be those of several commits. release: what its files are judged as.
--
-- A step leads from one revision (base, or 0 before the first) to the next (head), each judged as a
-- release. It is a function of these and of program (the number of the way in which steps are
-- computed), so a step that the timeline no longer takes is never wrong. facts: counts of the head,
-- JSON. says: what the step did to an operator, JSON. Times are microseconds since 1970-01-01 UTC.

ALTER TABLE projects ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;

CREATE TABLE commits (
    project     BIGINT NOT NULL REFERENCES projects (id),
    id          TEXT   COLLATE "C" NOT NULL,
    position    BIGINT NOT NULL,
    revision    BIGINT NOT NULL REFERENCES revisions (id),
    release     TEXT,
    author_date BIGINT NOT NULL,
    subject     TEXT   NOT NULL,
    PRIMARY KEY (project, id)
);

CREATE INDEX commits_in_order ON commits (project, position);
CREATE INDEX commits_by_revision ON commits (revision);

CREATE TABLE steps (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project      BIGINT NOT NULL REFERENCES projects (id),
    base         BIGINT NOT NULL,
    head         BIGINT NOT NULL REFERENCES revisions (id),
    base_release TEXT   NOT NULL,
    head_release TEXT   NOT NULL,
    program      BIGINT NOT NULL,
    facts        TEXT   NOT NULL,
    UNIQUE (project, head, base, head_release, base_release)
);

CREATE INDEX steps_by_head ON steps (head);

CREATE TABLE step_operators (
    project  BIGINT NOT NULL REFERENCES projects (id),
    operator TEXT   COLLATE "C" NOT NULL,
    step     BIGINT NOT NULL,
    says     TEXT   NOT NULL,
    PRIMARY KEY (project, operator, step)
);

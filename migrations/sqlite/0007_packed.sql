-- What steps say is packed: facts and says are bytes that the service alone understands
-- (src/service/history/). Steps in the former form are deleted and computed anew when their timeline is
-- asked for; the stamps tell readers that the steps that they know are gone.
--
-- Commits get numbers of their rows, so that each of their indexes repeats a number and not the id of a
-- commit, which is most of what a commit takes.

UPDATE projects SET stamp = stamp + 1, commits_rearranged = stamp + 1, revisions_rearranged = stamp + 1;

DROP TABLE step_operators;
DROP TABLE steps;

CREATE TABLE steps (
    id           INTEGER PRIMARY KEY,
    project      BIGINT NOT NULL REFERENCES projects (id),
    base         BIGINT NOT NULL,
    head         BIGINT NOT NULL REFERENCES revisions (id),
    base_release TEXT   NOT NULL,
    head_release TEXT   NOT NULL,
    program      BIGINT NOT NULL,
    facts        BLOB   NOT NULL,
    UNIQUE (project, head, base, head_release, base_release)
);

CREATE INDEX steps_by_head ON steps (head);

CREATE TABLE step_operators (
    project  BIGINT NOT NULL REFERENCES projects (id),
    operator TEXT   NOT NULL,
    step     BIGINT NOT NULL,
    says     BLOB   NOT NULL,
    PRIMARY KEY (project, operator, step)
) WITHOUT ROWID;

CREATE TABLE numbered_commits (
    project     BIGINT NOT NULL REFERENCES projects (id),
    id          TEXT   NOT NULL,
    position    BIGINT NOT NULL,
    revision    BIGINT NOT NULL REFERENCES revisions (id),
    release     TEXT,
    author_date BIGINT NOT NULL,
    subject     TEXT   NOT NULL,
    PRIMARY KEY (project, id)
);

INSERT INTO numbered_commits
SELECT project, id, position, revision, release, author_date, subject FROM commits
ORDER BY project, position;

DROP TABLE commits;
ALTER TABLE numbered_commits RENAME TO commits;

CREATE INDEX commits_in_order ON commits (project, position);
CREATE INDEX commits_by_revision ON commits (revision);

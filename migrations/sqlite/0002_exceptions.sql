-- Changes that somebody accepted, by project. Patterns may hold * and ?. until_date is a day as
-- YYYY-MM-DD, until_release a release; broad is 0 or 1. Times are microseconds since 1970-01-01
-- UTC.

CREATE TABLE exceptions (
    project       BIGINT NOT NULL REFERENCES projects (id),
    id            TEXT   NOT NULL,
    operator      TEXT   NOT NULL,
    rule          TEXT   NOT NULL,
    argument      TEXT,
    reason        TEXT   NOT NULL,
    owner         TEXT,
    until_date    TEXT,
    until_release TEXT,
    broad         BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (project, id)
) WITHOUT ROWID;

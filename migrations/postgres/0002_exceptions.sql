-- Changes that somebody accepted, by project. Patterns may hold * and ?. until_date is a day as
-- YYYY-MM-DD, until_release a release; broad is 0 or 1. Times are microseconds since 1970-01-01
-- UTC.

CREATE TABLE exceptions (
    project       BIGINT NOT NULL REFERENCES projects (id),
    id            TEXT COLLATE "C" NOT NULL,
    operator      TEXT COLLATE "C" NOT NULL,
    rule          TEXT COLLATE "C" NOT NULL,
    argument      TEXT,
    reason        TEXT COLLATE "C" NOT NULL,
    owner         TEXT,
    until_date    TEXT,
    until_release TEXT,
    broad         BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (project, id)
);

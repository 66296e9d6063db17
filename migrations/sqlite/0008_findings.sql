-- What the rules of one program found in a revision, judged as a release. packed: bytes that the service
-- alone understands (src/service/kept_findings.rs). They are never more than can be found again, so what
-- another program kept is replaced, and they go with their revision, whoever deletes it.

CREATE TABLE findings (
    revision BIGINT NOT NULL PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    release  TEXT   NOT NULL,
    program  TEXT   NOT NULL,
    packed   BLOB   NOT NULL
) WITHOUT ROWID;

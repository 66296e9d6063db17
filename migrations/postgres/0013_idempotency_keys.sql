-- Idempotency keys: the answers to requests that clients may repeat.
--
-- owner: the id of a token, empty where no token was needed. project: the name in the path, empty if there is none.
-- name: the key. request: SHA-256 of the request. status, location and body: the answer; null while the request is
-- in progress. Times are microseconds since 1970-01-01 UTC.

CREATE TABLE idempotency_keys (
    owner      TEXT COLLATE "C" NOT NULL,
    project    TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    request    BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    status     BIGINT,
    location   TEXT,
    body       BYTEA,
    PRIMARY KEY (owner, project, name)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

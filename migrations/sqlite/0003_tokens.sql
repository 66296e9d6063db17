-- Tokens that open the service. Of a token only its SHA-256 is kept.
--
-- projects: names separated by spaces, or *. actions: names separated by spaces. signing_key: what
-- signed bodies are checked with; a signature cannot be checked with less than the key itself.
-- Times are microseconds since 1970-01-01 UTC.

CREATE TABLE tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE,
    signing_key  BLOB,
    projects     TEXT NOT NULL,
    actions      TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT
) WITHOUT ROWID;

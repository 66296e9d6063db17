-- The files of releases, whole and compressed (src/store/whole.rs). They are beside the chunks, of which each
-- file can be put together, and go with their file, whoever deletes it.

CREATE TABLE whole_files (
    file   INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    packed BLOB    NOT NULL
);

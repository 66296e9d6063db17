//! The rows of every table, for backups, in an order in which references point back. The format is
//! the same for all databases.

use super::Store;
use super::error::StoreError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Bytes,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// Whether the database assigns the `id` of a row.
    pub(crate) numbered: bool,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number or null.
    Number(Option<i64>),
    /// A text or null.
    Text(Option<String>),
    /// Bytes or null.
    Bytes(Option<Vec<u8>>),
}

/// Some rows of one table.
#[derive(Debug)]
pub struct Rows {
    pub(crate) table: usize,
    pub(crate) rows: Vec<Vec<Value>>,
}

impl Rows {
    /// Marks the end of the rows. Without it nothing is imported.
    pub(crate) const END: Self = Self {
        table: TABLES.len(),
        rows: Vec::new(),
    };
}

const AHEAD: usize = 4;

/// Copies everything from one store, as it is at one moment, into an empty one. If it fails,
/// nothing is copied. Fails with [`Conflict::NotEmpty`](super::Conflict::NotEmpty) and errors of
/// either store.
pub async fn copy(from: &dyn Store, to: &dyn Store) -> Result<(), StoreError> {
    let (sink, source) = tokio::sync::mpsc::channel(AHEAD);
    let (taken, sent) = tokio::join!(to.import(source), from.export(sink));
    // If the receiver fails, the sender only reports that its channel is closed.
    match (taken, sent) {
        (Err(StoreError::Unavailable { .. }), Err(sent)) => Err(sent),
        (taken, _) => taken,
    }
}

/// Every table. A migration that adds a table or a column adds it here as well; a test compares.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "projects",
        columns: &[
            ("id", Kind::Number),
            ("name", Kind::Text),
            ("description", Kind::Text),
            ("policy", Kind::Text),
            ("created_at", Kind::Number),
            ("stamp", Kind::Number),
            ("commits_rearranged", Kind::Number),
            ("revisions_rearranged", Kind::Number),
        ],
        numbered: true,
    },
    Table {
        name: "pieces",
        columns: &[
            ("id", Kind::Number),
            ("digest", Kind::Bytes),
            ("content", Kind::Bytes),
        ],
        numbered: true,
    },
    Table {
        name: "runs",
        columns: &[
            ("id", Kind::Number),
            ("digest", Kind::Bytes),
            ("pieces", Kind::Bytes),
        ],
        numbered: true,
    },
    Table {
        name: "files",
        columns: &[
            ("id", Kind::Number),
            ("digest", Kind::Bytes),
            ("bytes", Kind::Number),
            ("runs", Kind::Bytes),
        ],
        numbered: true,
    },
    Table {
        name: "revisions",
        columns: &[
            ("id", Kind::Number),
            ("project", Kind::Number),
            ("digest", Kind::Bytes),
            ("ingested_at", Kind::Number),
        ],
        numbered: true,
    },
    Table {
        name: "revision_files",
        columns: &[
            ("revision", Kind::Number),
            ("name", Kind::Text),
            ("file", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "labels",
        columns: &[
            ("project", Kind::Number),
            ("name", Kind::Text),
            ("revision", Kind::Number),
            ("release", Kind::Text),
            ("moved_at", Kind::Number),
            ("created_at", Kind::Number),
            ("creator", Kind::Text),
        ],
        numbered: false,
    },
    Table {
        name: "commits",
        columns: &[
            ("project", Kind::Number),
            ("id", Kind::Text),
            ("position", Kind::Number),
            ("revision", Kind::Number),
            ("release", Kind::Text),
            ("author_date", Kind::Number),
            ("subject", Kind::Text),
        ],
        numbered: false,
    },
    Table {
        name: "steps",
        columns: &[
            ("id", Kind::Number),
            ("project", Kind::Number),
            ("base", Kind::Number),
            ("head", Kind::Number),
            ("base_release", Kind::Text),
            ("head_release", Kind::Text),
            ("program", Kind::Number),
            ("facts", Kind::Bytes),
        ],
        numbered: true,
    },
    Table {
        name: "step_operators",
        columns: &[
            ("project", Kind::Number),
            ("operator", Kind::Text),
            ("step", Kind::Number),
            ("says", Kind::Bytes),
        ],
        numbered: false,
    },
    Table {
        name: "exceptions",
        columns: &[
            ("project", Kind::Number),
            ("id", Kind::Text),
            ("operator", Kind::Text),
            ("rule", Kind::Text),
            ("argument", Kind::Text),
            ("reason", Kind::Text),
            ("owner", Kind::Text),
            ("until_date", Kind::Text),
            ("until_release", Kind::Text),
            ("broad", Kind::Number),
            ("created_at", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "tokens",
        columns: &[
            ("id", Kind::Text),
            ("name", Kind::Text),
            ("hash", Kind::Bytes),
            ("signing_key", Kind::Bytes),
            ("projects", Kind::Text),
            ("actions", Kind::Text),
            ("created_at", Kind::Number),
            ("expires_at", Kind::Number),
            ("revoked_at", Kind::Number),
            ("last_used_at", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "probe_runs",
        columns: &[
            ("id", Kind::Number),
            ("project", Kind::Number),
            ("name", Kind::Text),
            ("revision", Kind::Number),
            ("address", Kind::Text),
            ("torch", Kind::Text),
            ("device", Kind::Text),
            ("lease", Kind::Number),
            ("created_at", Kind::Number),
            ("token", Kind::Text),
        ],
        numbered: true,
    },
    Table {
        name: "probe_shards",
        columns: &[
            ("run", Kind::Number),
            ("number", Kind::Number),
            ("part", Kind::Text),
            ("items", Kind::Text),
            ("until", Kind::Number),
            ("begun", Kind::Text),
            ("worker", Kind::Text),
            ("digest", Kind::Bytes),
            ("results", Kind::Text),
            ("rank", Kind::Number),
            ("outcomes", Kind::Text),
            ("secret", Kind::Bytes),
            ("token", Kind::Text),
        ],
        numbered: false,
    },
    Table {
        name: "probe_items",
        columns: &[
            ("run", Kind::Number),
            ("item", Kind::Text),
            ("kills", Kind::Number),
            ("losses", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "probe_durations",
        columns: &[
            ("project", Kind::Number),
            ("device", Kind::Text),
            ("part", Kind::Text),
            ("item", Kind::Text),
            ("milliseconds", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "probe_dumps",
        columns: &[
            ("id", Kind::Number),
            ("digest", Kind::Bytes),
            ("bytes", Kind::Number),
            ("content", Kind::Bytes),
        ],
        numbered: true,
    },
    Table {
        name: "probe_tables",
        columns: &[
            ("revision", Kind::Number),
            ("dump", Kind::Number),
            ("torch", Kind::Text),
            ("device", Kind::Text),
            ("recorded_at", Kind::Number),
        ],
        numbered: false,
    },
    Table {
        name: "idempotency_keys",
        columns: &[
            ("owner", Kind::Text),
            ("project", Kind::Text),
            ("name", Kind::Text),
            ("request", Kind::Bytes),
            ("created_at", Kind::Number),
            ("status", Kind::Number),
            ("location", Kind::Text),
            ("body", Kind::Bytes),
        ],
        numbered: false,
    },
];

impl Table {
    pub(crate) fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.list(), self.name)
    }

    pub(crate) fn insert(&self, overriding: &str) -> String {
        format!("INSERT INTO {} ({}) {overriding}", self.name, self.list())
    }

    fn list(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, SqliteConnection};

    use super::TABLES;

    #[tokio::test]
    async fn every_column_of_the_database_is_in_a_backup() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
        crate::open(&url).await.unwrap().close().await;
        let mut database = SqliteConnection::connect(&url).await.unwrap();
        let mut there: Vec<(String, String)> = sqlx::query_as(
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' \
             AND t.name <> '_sqlx_migrations'",
        )
        .fetch_all(&mut database)
        .await
        .unwrap();
        let columns = TABLES.iter().flat_map(|table| {
            let names = table.columns.iter().map(|(name, _)| (*name).to_owned());
            names.map(|name| (table.name.to_owned(), name))
        });
        let mut saved: Vec<_> = columns.collect();
        there.sort();
        saved.sort();
        assert_eq!(saved, there);
    }
}

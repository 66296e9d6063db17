//! Errors of a store, as variants that callers can match.

use sqlx::migrate::MigrateError;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

use super::names::{DigestPrefix, LabelName, ProjectName, RevisionKey};
use super::probe::MOST_DUMPS;
use super::records::Expected;
use opatlas_source::Digest;

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something was not found.
    #[error(transparent)]
    NotFound(#[from] Missing),
    /// The stored state does not allow the change.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// Several revisions match an abbreviated digest.
    #[error("{prefix} is ambiguous: {}; use more digits", listed(matches))]
    Ambiguous {
        /// The abbreviated digest.
        prefix: DigestPrefix,
        /// The first matches, in order.
        matches: Vec<Digest>,
    },
    /// Stored data is damaged.
    #[error("the store is damaged: {what}")]
    Corrupt {
        /// What is damaged.
        what: String,
    },
    /// A newer version of Opatlas wrote this database.
    #[error(
        "a newer version of Opatlas wrote the database: it has migration {found}, but this version \
         knows only up to {known}; use the newer version, or a backup from before the upgrade"
    )]
    TooNew {
        /// The unknown migration.
        found: i64,
        /// The newest migration that this version knows.
        known: i64,
    },
    /// The database address is invalid.
    #[error("cannot use the database address `{url}`: {why}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The database cannot be opened for this operation.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The database file was replaced or deleted after it was opened, so writes would be lost.
    #[error(
        "the database file was {how} while it was open; restore the file and restart the service"
    )]
    Detached {
        /// What happened to the file.
        how: String,
    },
    /// The database cannot be reached, opened, read or written at the moment.
    #[error("the database is unavailable: {what}")]
    Unavailable {
        /// The reason.
        what: String,
        /// The error of the database.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// An unexpected error of the database.
    #[error("the database failed: {0}")]
    Backend(#[source] sqlx::Error),
}

/// Why a database cannot be opened for an operation. It is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It does not exist.
    #[error("{place} does not exist; `opatlas import` and `opatlas serve` create it")]
    Absent {
        /// Where it was looked for.
        place: String,
    },
    /// It belongs to another program, or is empty.
    #[error("{place} is not an Opatlas database; use another one with --database")]
    Foreign {
        /// The address.
        place: String,
    },
    /// An older version made it, and it has to be migrated first.
    #[error(
        "an older version of Opatlas wrote {place}: it has migration {found}, but this version \
         needs {known}; run `opatlas serve` or `opatlas import` of this version to migrate it"
    )]
    Outdated {
        /// The address.
        place: String,
        /// Its newest migration.
        found: i64,
        /// The newest migration that this version knows.
        known: i64,
    },
}

/// What was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// No project has this name.
    #[error("unknown project `{0}`")]
    Project(ProjectName),
    /// The project has no such revision.
    #[error("project `{project}` has no revision `{key}`")]
    Revision {
        /// The project.
        project: ProjectName,
        /// The requested revision.
        key: RevisionKey,
    },
    /// The project has no such label.
    #[error("project `{project}` has no label `{label}`")]
    Label {
        /// The project.
        project: ProjectName,
        /// The label.
        label: LabelName,
    },
    /// No token has this id.
    #[error("unknown token `{0}`")]
    Token(String),
    /// The project has no such exception.
    #[error("the project has no exception `{0}`")]
    Exception(String),
    /// The project has no such probe run.
    #[error("the project has no run `{0}` of the probe; open it first")]
    ProbeRun(String),
    /// The run has no such shard.
    #[error("run `{run}` has no shard {shard}")]
    ProbeShard {
        /// The run.
        run: String,
        /// The number of the shard.
        shard: i64,
    },
    /// The revision has no such table dump.
    #[error("the revision has no dump `{0}`")]
    Dump(String),
    /// The revision has no table dumps.
    #[error("the revision has no dump of tables; `python -m opatlas_probe --server URL` sends one")]
    Dumps,
    /// The revision has no such file.
    #[error("revision sha256:{digest} has no file `{name}`")]
    File {
        /// The revision.
        digest: Digest,
        /// The file's name.
        name: String,
    },
}

/// Why a change conflicts with the stored state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A project of this name exists with another description or policy.
    #[error("project `{0}` already exists, with a different description or policy")]
    Project(ProjectName),
    /// The label belongs to another release.
    #[error("label `{label}` belongs to release {stored}, not {given}")]
    Release {
        /// The label.
        label: LabelName,
        /// The release of the label.
        stored: String,
        /// The requested release.
        given: String,
    },
    /// The label does not name what the caller expected.
    #[error("label `{label}` {}, but {expected} was expected", current.map_or_else(|| "names nothing".to_owned(), |d| format!("names sha256:{d}")))]
    Label {
        /// The label.
        label: LabelName,
        /// What it names now.
        current: Option<Digest>,
        /// What the caller expected.
        expected: Expected,
    },
    /// The caller does not hold the lease of this shard. Says nothing about the leases of others.
    #[error(
        "this is not the lease of shard {0}: it has ended, or another worker or token took it; ask for \
         another shard"
    )]
    LeaseLost(i64),
    /// The shard already has a different result.
    #[error("shard {0} already has a different result, which is kept; ask for another shard")]
    ShardDone(i64),
    /// The revision has the maximum number of dumps.
    #[error("the revision already has {MOST_DUMPS} different dumps of tables")]
    TooManyDumps,
    /// A backup can only be restored into an empty database.
    #[error("the database is not empty; a backup can only be restored into an empty database")]
    NotEmpty,
    /// Labels name the revision.
    #[error(
        "revision sha256:{digest} cannot be deleted, because labels point to it: {}",
        named(labels)
    )]
    Labelled {
        /// The revision.
        digest: Digest,
        /// Sorted by name.
        labels: Vec<LabelName>,
    },
}

impl StoreError {
    /// Whether the error concerns only the request, not the database.
    #[must_use]
    pub fn is_about_the_request(&self) -> bool {
        matches!(
            self,
            Self::NotFound(_) | Self::Conflict(_) | Self::Ambiguous { .. }
        )
    }

    /// Stored data that cannot be read.
    #[must_use]
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }

    pub(crate) fn unavailable(what: impl Into<String>, source: sqlx::Error) -> Self {
        Self::Unavailable {
            what: what.into(),
            source: Some(source),
        }
    }

    pub(crate) fn located(mut self, shown: &str) -> Self {
        if let Self::Unavailable { what, .. } | Self::Corrupt { what } = &mut self {
            *what = format!("{shown}: {what}");
        }
        self
    }

    /// Classifies a failed migration; `known` is the newest migration of this program.
    pub(crate) fn of_migration(error: MigrateError, known: i64) -> Self {
        match error {
            MigrateError::VersionMissing(found) => Self::TooNew { found, known },
            MigrateError::VersionMismatch(version) => Self::corrupt(format!(
                "its migration {version} differs from the one in this version of Opatlas"
            )),
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            error => Self::Backend(sqlx::Error::Migrate(Box::new(error))),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::PoolTimedOut => Self::unavailable(
                "no connection became free, and no other was accepted in time",
                error,
            ),
            sqlx::Error::PoolClosed => Self::unavailable("it is shutting down", error),
            sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
                Self::unavailable("the connection to it failed", error)
            }
            sqlx::Error::Tls(_) => Self::unavailable("a secure connection failed", error),
            sqlx::Error::Database(fault) => {
                if fault.try_downcast_ref::<SqliteError>().is_some() {
                    of_sqlite(error)
                } else if fault.try_downcast_ref::<PgDatabaseError>().is_some() {
                    of_postgres(error)
                } else {
                    Self::Backend(error)
                }
            }
            _ => Self::Backend(error),
        }
    }
}

/// Classifies an SQLite error by its primary result code (<https://sqlite.org/rescode.html>).
fn of_sqlite(error: sqlx::Error) -> StoreError {
    let what = match sqlite_code(&error).unwrap_or(1) {
        5 | 6 => "another process holds its lock",
        8 => "it is read-only, but Opatlas needs write access",
        10 => "reading or writing its files failed",
        13 => "the disk is full",
        14 => "its files cannot be opened",
        11 => {
            return StoreError::corrupt(format!(
                "SQLite reports that the database is malformed: {error}"
            ));
        }
        26 => return StoreError::corrupt("the file is not an SQLite database"),
        _ => return StoreError::Backend(error),
    };
    StoreError::unavailable(what, error)
}

fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    Some(code.parse::<i32>().ok()? & 0xFF)
}

/// Whether SQLite refused because of a lock (`SQLITE_BUSY`).
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    sqlite_code(error) == Some(5)
}

/// Classifies a PostgreSQL error by its code
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn of_postgres(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|fault| fault.code());
    let code = code.map(std::borrow::Cow::into_owned).unwrap_or_default();
    let what = match code.as_str() {
        "25006" => "it is read-only, but Opatlas needs write access",
        "3D000" => "the database does not exist; create it with `createdb`",
        "42501" => "its user lacks a privilege; Opatlas creates and alters its own tables",
        "53100" => "the disk is full",
        "53300" => "it accepts no more connections",
        "40001" | "40P01" | "55P03" | "55006" => "another connection holds its lock",
        "57014" => "the query timed out",
        "57P01" | "57P02" | "57P03" | "25P03" => "it is starting or shutting down",
        code => match code.get(..2) {
            Some("08") => "the connection to it failed",
            Some("28") => "it rejects the user or the password",
            Some("53") => "it is out of resources",
            Some("58") => "reading or writing its files failed",
            Some("XX") => {
                return StoreError::corrupt(format!("PostgreSQL reports damage: {error}"));
            }
            _ => return StoreError::Backend(error),
        },
    };
    StoreError::unavailable(what, error)
}

fn listed(digests: &[Digest]) -> String {
    let digests: Vec<_> = digests.iter().map(|d| format!("sha256:{d}")).collect();
    digests.join(", ")
}

fn named(labels: &[LabelName]) -> String {
    let labels: Vec<_> = labels.iter().map(|l| format!("`{l}`")).collect();
    labels.join(", ")
}

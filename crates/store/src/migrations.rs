//! The migrations of both databases, with the same numbers and names. `sqlx::migrate!` would
//! compile both drivers a second time.

use std::borrow::Cow;
use std::sync::LazyLock;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

macro_rules! migrations {
    ($folder:literal: $($file:literal),+ $(,)?) => {
        &[$((
            $file,
            include_str!(concat!("../../../migrations/", $folder, "/", $file, ".sql")),
        )),+]
    };
}

type File = (&'static str, &'static str);

const SQLITE_FILES: &[File] = migrations!(
    "sqlite": "0001_store", "0002_exceptions", "0003_tokens", "0004_history", "0005_rearranged",
    "0006_probe", "0007_packed", "0008_findings", "0009_whole_files", "0010_probe_owners",
    "0011_computed", "0012_label_creators", "0013_idempotency_keys",
);
const POSTGRES_FILES: &[File] = migrations!(
    "postgres": "0001_store", "0002_exceptions", "0003_tokens", "0004_history", "0005_rearranged",
    "0006_probe", "0007_packed", "0008_findings", "0009_whole_files", "0010_probe_owners",
    "0011_computed", "0012_label_creators", "0013_idempotency_keys",
);

pub(super) static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(SQLITE_FILES));
pub(super) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(POSTGRES_FILES));

fn migrator(files: &[File]) -> Migrator {
    let migrations = files.iter().filter_map(|&(name, text)| {
        let (number, description) = name.split_once('_')?;
        let sql = text.into_sql_str();
        let kind = MigrationType::Simple;
        let description = Cow::Owned(description.replace('_', " "));
        Some(Migration::new(
            number.parse().ok()?,
            description,
            kind,
            sql,
            false,
        ))
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed() {
        for (folder, files, migrator) in [
            ("sqlite", SQLITE_FILES, &SQLITE),
            ("postgres", POSTGRES_FILES, &POSTGRES),
        ] {
            let path = format!("{}/../../migrations/{folder}", env!("CARGO_MANIFEST_DIR"));
            let entries = std::fs::read_dir(path).unwrap();
            let mut found: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            let listed: Vec<String> = files
                .iter()
                .map(|(name, _)| format!("{name}.sql"))
                .collect();
            assert_eq!(found, listed);
            // Numbers have no gaps, and no file was skipped because of its name.
            let versions: Vec<i64> = migrator.iter().map(|migration| migration.version).collect();
            assert_eq!(versions, (1..=files.len() as i64).collect::<Vec<_>>());
        }
    }
}

//! Checks whether a database fits the purpose for which it is opened. Changes nothing.

use sqlx::migrate::Migrator;

use super::error::{StoreError, Unusable};

/// What a database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Read and write. Creates a missing SQLite file and migrates an older database.
    Make,
    /// Read and change an existing, migrated database.
    Change,
    /// Read an existing, migrated database, which stays unchanged.
    Read,
}

impl Opening {
    pub(super) fn newest(known: &Migrator) -> i64 {
        let versions = known.iter().map(|migration| migration.version);
        versions.max().unwrap_or_default()
    }

    /// Rejects a database with other migrations than the program; `applied` are numbers and
    /// checksums, in order. Fails with [`Unusable::Foreign`], [`Unusable::Outdated`] unless this is
    /// [`Opening::Make`], [`StoreError::TooNew`], and [`StoreError::Corrupt`].
    pub(super) fn judge(
        self,
        place: &str,
        applied: &[(i64, Vec<u8>)],
        known: &Migrator,
    ) -> Result<(), StoreError> {
        let newest = Self::newest(known);
        let place = || place.to_owned();
        if let Some((found, _)) = applied.iter().rfind(|(version, _)| *version > newest) {
            let found = *found;
            return Err(StoreError::TooNew {
                found,
                known: newest,
            });
        }
        for (at, (version, checksum)) in applied.iter().enumerate() {
            let same = known.iter().find(|it| it.version == *version);
            match same {
                Some(same) if *same.checksum == **checksum => {}
                // Other programs use a migrations table of the same name.
                _ if at == 0 => return Err(Unusable::Foreign { place: place() }.into()),
                _ => {
                    return Err(StoreError::corrupt(format!(
                        "migration {version} of {} differs from the one in this version of Opatlas",
                        place()
                    )));
                }
            }
        }
        let is_behind = applied.len() < known.iter().count();
        match applied.last() {
            None => Err(Unusable::Foreign { place: place() }.into()),
            Some((found, _)) if is_behind && self != Self::Make => Err(Unusable::Outdated {
                place: place(),
                found: *found,
                known: newest,
            }
            .into()),
            Some(_) => Ok(()),
        }
    }
}

pub(super) fn opened_for_reading() -> StoreError {
    StoreError::Unavailable {
        what: "it was opened read-only".to_owned(),
        source: None,
    }
}

//! Addresses of SQLite databases. SQLite itself only says "unable to open database file".

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::sqlite::SqliteConnectOptions;

use crate::error::StoreError;

pub(super) struct Address {
    pub(super) options: SqliteConnectOptions,
    path: Option<PathBuf>,
    creates: bool,
}

impl Address {
    /// Parses `sqlite://PATH`, `sqlite:PATH` or `sqlite::memory:`; `?mode=rw` does not create the
    /// file.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let wrong = |why: &str| StoreError::Address {
            url: url.to_owned(),
            why: why.to_owned(),
        };
        let Some(rest) = url.strip_prefix("sqlite:") else {
            return Err(wrong("it does not start with `sqlite:`"));
        };
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let (name, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let mode = parameters.split('&').find_map(|p| p.strip_prefix("mode="));
        let in_memory = name == ":memory:" || mode == Some("memory");
        if mode == Some("ro") || parameters.contains("immutable=") {
            return Err(wrong("Opatlas needs write access to its database"));
        }
        if name.is_empty() && !in_memory {
            return Err(wrong("it does not name a file"));
        }
        let options =
            SqliteConnectOptions::from_str(url).map_err(|error| wrong(&error.to_string()))?;
        let path = (!in_memory).then(|| options.get_filename().to_owned());
        let options = match mode {
            Some(_) => options,
            None => options.create_if_missing(true),
        };
        let creates = matches!(mode, None | Some("rwc"));
        Ok(Self {
            options,
            path,
            creates,
        })
    }

    pub(super) fn creates(&self) -> bool {
        self.creates
    }

    /// Whether it is a file, which several connections can open.
    pub(super) fn is_file(&self) -> bool {
        self.path.is_some()
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn shown(&self) -> String {
        match &self.path {
            Some(path) => format!("`{}`", path.display()),
            None => "the in-memory database".to_owned(),
        }
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let what = match folder {
            Some(folder) if !folder.is_dir() => format!(
                "{} cannot be opened, because the folder `{}` does not exist",
                self.shown(),
                folder.display()
            ),
            _ if path.is_dir() => format!("{} is a folder; use a file in it", self.shown()),
            _ => return Ok(()),
        };
        Err(StoreError::Unavailable { what, source: None })
    }
}

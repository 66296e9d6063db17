//! Addresses of PostgreSQL databases.

use std::str::FromStr as _;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::error::StoreError;

pub(super) struct Address {
    pub(super) options: PgConnectOptions,
}

impl Address {
    /// Parses `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=...`. Missing parts come from the
    /// environment (`PGHOST`, `PGUSER`, `PGPASSWORD`, ...), as in PostgreSQL's own programs.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url).map_err(|error| StoreError::Address {
            // Do not repeat the address, which may contain a password.
            url: "postgres://...".to_owned(),
            why: error.to_string(),
        })?;
        let options = match options.get_application_name() {
            Some(_) => options,
            None => options.application_name("opatlas"),
        };
        Ok(Self {
            options: options.disable_statement_logging(),
        })
    }

    pub(super) fn shown(&self) -> String {
        let options = &self.options;
        let name = options.get_database().unwrap_or(options.get_username());
        let place = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        format!("the PostgreSQL database `{name}` at {place}")
    }
}

//! The options that select a database or a server.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::remote::{Base, Server, Token};

#[derive(Debug, Clone)]
pub(super) struct Database {
    pub(super) database: String,
}

#[derive(Debug, Clone)]
pub(super) enum Target {
    Database(Database),
    Server(Server),
}

#[derive(Args)]
struct DatabaseOptions {
    /// The database with the revisions: sqlite://PATH (a file, created if it does not exist) or
    /// postgres://USER:PASSWORD@HOST/NAME
    #[arg(
        long,
        env = "OPATLAS_DATABASE",
        hide_env_values = true,
        default_value = "sqlite://opatlas.db",
        value_name = "URL"
    )]
    database: String,
}

/// Options that maintenance commands do not support. They are parsed only to report that.
#[derive(Args)]
struct InVain {
    #[arg(long, env = "OPATLAS_SERVER", hide = true)]
    server: Option<String>,

    #[arg(long, hide = true)]
    token: Option<String>,
}

#[derive(Args)]
struct ServerOptions {
    /// Use this server instead of a database, such as https://opatlas.example.org
    #[arg(
        long,
        env = "OPATLAS_SERVER",
        hide_env_values = true,
        value_name = "URL"
    )]
    server: Option<String>,

    /// The token for the server; safer in the environment, because other users can see arguments
    #[arg(
        long,
        env = "OPATLAS_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    token: Option<String>,
}

impl Args for Database {
    fn augment_args(command: Command) -> Command {
        InVain::augment_args(DatabaseOptions::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Database {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let in_vain = InVain::from_arg_matches(matches)?;
        if is_given(matches, "server") {
            return Err(usage(
                "this command needs direct access to the database: run it with --database instead \
                 of --server",
            ));
        }
        if is_given(matches, "token") {
            return Err(usage(
                "--token is only for --server, but this command uses the database directly",
            ));
        }
        // With OPATLAS_SERVER in the environment, the default database is not what the user means.
        let is_default = matches.value_source("database") == Some(ValueSource::DefaultValue);
        if is_default && in_vain.server.is_some_and(|server| !server.is_empty()) {
            return Err(usage(
                "OPATLAS_SERVER is set, but this command uses the database directly: set \
                 --database",
            ));
        }
        let DatabaseOptions { database } = DatabaseOptions::from_arg_matches(matches)?;
        Ok(Self { database })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Target {
    fn augment_args(command: Command) -> Command {
        ServerOptions::augment_args(DatabaseOptions::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Target {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let options = ServerOptions::from_arg_matches(matches)?;
        let is_said = is_given(matches, "server");
        if is_said && is_given(matches, "database") {
            return Err(usage(
                "--server and --database exclude each other; use one of them",
            ));
        }
        // An option overrides the environment. There, the server overrides the database, which
        // images and profiles set permanently.
        let server = options
            .server
            .filter(|server| is_said || !(server.is_empty() || is_given(matches, "database")));
        let Some(server) = server else {
            if is_given(matches, "token") {
                return Err(usage("--token needs --server"));
            }
            let DatabaseOptions { database } = DatabaseOptions::from_arg_matches(matches)?;
            return Ok(Self::Database(Database { database }));
        };
        let token = options.token.filter(|token| !token.trim().is_empty());
        Ok(Self::Server(Server {
            base: Base::parse(&server).map_err(|fault| usage(&fault))?,
            token: token
                .map(|token| Token::parse(&token))
                .transpose()
                .map_err(usage)?,
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn is_given(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(option) == Some(ValueSource::CommandLine)
}

/// A usage error. It never repeats the value, which may contain a secret.
fn usage(fault: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, fault)
}

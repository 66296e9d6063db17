//! Where a command finds what is stored: in a database, or at a server.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::remote::{Base, Server, Token};

/// The database of a command that looks after it; a server is refused.
#[derive(Debug, Clone)]
pub(super) struct Database {
    /// Its address.
    pub(super) database: String,
}

/// Where revisions are read and written: a database, or a server.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// The database itself.
    Database(Database),
    /// A server, over HTTP.
    Server(Server),
}

/// The option that both have.
#[derive(Args)]
struct DatabaseOptions {
    /// The database that holds the revisions: sqlite://PATH, a file made if it does not exist, or
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

/// What a command that looks after a database is told in vain; taken to say so.
#[derive(Args)]
struct InVain {
    #[arg(long, env = "OPATLAS_SERVER", hide = true)]
    server: Option<String>,

    #[arg(long, hide = true)]
    token: Option<String>,
}

/// The options of a server.
#[derive(Args)]
struct ServerOptions {
    /// Ask this server instead of a database, such as https://opatlas.example.org
    #[arg(
        long,
        env = "OPATLAS_SERVER",
        hide_env_values = true,
        value_name = "URL"
    )]
    server: Option<String>,

    /// The token to show the server; better given in the environment, where others do not see it
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
                "this command works on a database itself: run it where that is, with --database instead of --server",
            ));
        }
        if is_given(matches, "token") {
            return Err(usage(
                "--token is for --server, and this command works on a database itself",
            ));
        }
        // Who means a server all day does not mean the file `opatlas.db` in this folder.
        let is_default = matches.value_source("database") == Some(ValueSource::DefaultValue);
        if is_default && in_vain.server.is_some_and(|server| !server.is_empty()) {
            return Err(usage(
                "OPATLAS_SERVER names a server, but this command works on a database itself: name that with --database",
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
                "--server and --database both say where the revisions are; give one of them",
            ));
        }
        // What is said goes before the environment, and there the server before the database, which
        // images and profiles set for good.
        let server = options
            .server
            .filter(|server| is_said || !(server.is_empty() || is_given(matches, "database")));
        let Some(server) = server else {
            if is_given(matches, "token") {
                return Err(usage("--token is for a server; name that with --server"));
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

/// Whether an option stands on the command line itself.
fn is_given(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(option) == Some(ValueSource::CommandLine)
}

/// Bad usage. It never repeats what was given, which may hold a secret.
fn usage(fault: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, fault)
}

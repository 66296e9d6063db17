//! `opatlas token`: manages access to the service.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use jiff::Timestamp;

use opatlas_service::NewToken;
use opatlas_service::access::{Action, Projects};
use opatlas_store::{Opening, ProjectName, TokenRecord};

use opatlas_source::Message;
use opatlas_source::visible::line;

use super::{Database, duration, local};

/// Creates, lists and revokes the tokens for a service with --auth writes or all.
///
/// Works on the database directly, so it needs no token. A service notices a revoked token within
/// five seconds.
#[derive(Debug, Args)]
pub(super) struct Token {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

/// Creates a token and prints it once; the database stores only its digest.
#[derive(Debug, Args)]
struct Create {
    /// What the token is for, such as ci
    name: String,

    /// A project that the token gives access to; repeat for several
    #[arg(long = "project", value_name = "PROJECT", required_unless_present = "all_projects", value_parser = project)]
    projects: Vec<ProjectName>,

    /// Give access to all projects, including future ones
    #[arg(long, conflicts_with = "projects")]
    all_projects: bool,

    /// An action that the token allows (read, ingest, label, except, admin); repeat for several.
    /// Every action includes read
    #[arg(
        long = "action",
        value_name = "ACTION",
        value_delimiter = ',',
        required = true
    )]
    actions: Vec<Action>,

    /// When the token expires: a number of days or hours such as 90d or 12h, or never
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = lifetime)]
    expires: Lifetime,

    /// Also create a key to sign bodies with, for callers that cannot send a secret
    #[arg(long)]
    signing: bool,

    #[command(flatten)]
    database: Database,
}

/// Lists all tokens, without their secrets.
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    database: Database,
}

/// Revokes a token permanently.
#[derive(Debug, Args)]
struct Revoke {
    /// The id of the token, as `opatlas token list` shows it
    id: String,

    #[command(flatten)]
    database: Database,
}

/// The lifetime of a token in microseconds; `None` is unlimited.
#[derive(Debug, Clone, Copy)]
struct Lifetime(Option<i64>);

impl Token {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Create(create) => create.run().await,
            Command::List(list) => list.run().await,
            Command::Revoke(revoke) => revoke.run().await,
        }
    }
}

impl Create {
    async fn run(self) -> anyhow::Result<ExitCode> {
        if self.name.is_empty() || self.name.len() > 128 || self.name.contains(char::is_control) {
            bail!("the name of a token must have 1 to 128 printable characters");
        }
        let service = local::open(&self.database, Opening::Make).await?;
        let mut actions = self.actions;
        actions.sort();
        actions.dedup();
        let new = NewToken {
            name: self.name,
            projects: if self.all_projects {
                Projects::All
            } else {
                Projects::Only(self.projects)
            },
            actions,
            expires_at: self
                .expires
                .0
                .map(|lifetime| local::now().saturating_add(lifetime)),
            signing: self.signing,
        };
        let made = service.create_token(new).await?;
        service.close().await;
        eprintln!(
            "token {} for {}; it is shown only once:",
            made.record.id,
            described(&made.record)
        );
        println!("{}", made.secret);
        if let Some(key) = made.signing_key {
            eprintln!(
                "its signing key, for `X-Opatlas-Signature: sha256=HMAC` with `X-Opatlas-Token: \
                 {}`:",
                made.record.id
            );
            println!("{key}");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl List {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let service = local::open(&self.database, Opening::Read).await?;
        let tokens = service.tokens().await?;
        service.close().await;
        let now = local::now();
        for token in &tokens {
            let state = if token.revoked_at.is_some() {
                "revoked".to_owned()
            } else {
                match token.expires_at {
                    Some(at) if at <= now => format!("expired {}", date(at)),
                    Some(at) => format!("until {}", date(at)),
                    None => "no expiry".to_owned(),
                }
            };
            let used = match token.last_used_at {
                Some(at) => format!("last used {}", date(at)),
                None => "never used".to_owned(),
            };
            println!("{}  {}  {state}, {used}", token.id, described(token));
        }
        if tokens.is_empty() {
            eprintln!("There are no tokens; create one with `opatlas token create`.");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Revoke {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let service = local::open(&self.database, Opening::Change).await?;
        let token = service.revoke_token(&self.id).await;
        service.close().await;
        let token = token.context("`opatlas token list` shows the ids")?;
        println!("revoked: {}  {}", token.id, described(&token));
        Ok(ExitCode::SUCCESS)
    }
}

fn described(token: &TokenRecord) -> String {
    let projects = match token.projects.as_str() {
        "*" => "all projects",
        names => names,
    };
    let name = Message::code(&line(&token.name));
    format!("{} ({} in {projects})", &*name, token.actions)
}

fn date(micros: i64) -> String {
    let time = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn project(text: &str) -> Result<ProjectName, String> {
    ProjectName::parse(text).map_err(|error| error.to_string())
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "never" => Ok(Lifetime(None)),
        _ => match duration::parse(text) {
            Ok(micros) => Ok(Lifetime(Some(micros))),
            Err(error) => Err(format!("{error}, or never")),
        },
    }
}

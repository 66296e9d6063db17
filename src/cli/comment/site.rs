//! The part of the hosting site's REST API for comments on pull requests.

use std::cell::Cell;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use ureq::http::{Method, Request, header};
use ureq::tls::TlsConfig;

use super::limits::Limits;
use crate::cli::remote::{Base, Token, body, roots};

/// The maximum size of an answer, decompressed, in bytes: a page has up to 100 comments of 256 KiB.
const MAX_ANSWER: u64 = 64 << 20;
const TIME: Duration = Duration::from_secs(60);
const RETRIES: u32 = 4;
const PAUSE: Duration = Duration::from_secs(1);
const PAGE: usize = 100;
const PAGES: usize = 300;
const VERSION: &str = "2022-11-28";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repo {
    owner: String,
    name: String,
}

impl Repo {
    /// Reads `OWNER/NAME`. Fails if the text has another form.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !name.is_empty() && name.bytes().all(plain) && name != "." && name != ".."
        };
        match text.split_once('/') {
            Some((owner, name)) if is_name(owner) && is_name(name) => Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err("a repository is written as OWNER/NAME".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Comment {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    pub(super) user: Option<User>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct User {
    #[serde(default)]
    pub(super) login: String,
    /// `User`, `Bot`, `Organization`.
    #[serde(default, rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Deserialize)]
struct Pull {
    head: PullHead,
}

#[derive(Debug, Deserialize)]
struct PullHead {
    sha: String,
}

pub(super) struct Site {
    agent: ureq::Agent,
    base: Base,
    token: Token,
    repo: Repo,
    patience: Cell<Duration>,
}

struct Ask<'a> {
    method: Method,
    path: &'a [&'a str],
    query: &'a [(&'a str, Option<&'a str>)],
    body: Option<serde_json::Value>,
}

struct Answer {
    status: u16,
    limits: Limits,
    has_next: bool,
    bytes: Vec<u8>,
}

enum Outcome {
    Answered(Answer),
    /// The site failed or did not answer, so the request may or may not have had an effect.
    Failed(String, Option<Duration>),
}

impl Site {
    /// `patience` bounds all pauses together.
    pub(super) fn new(base: Base, token: Token, repo: Repo, patience: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect must not receive the token.
            .max_redirects(0)
            .user_agent(concat!("opatlas/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(TIME))
            .tls_config(TlsConfig::builder().root_certs(roots(&base)).build());
        Self {
            agent: config.build().into(),
            base,
            token,
            repo,
            patience: Cell::new(patience),
        }
    }

    pub(super) fn head(&self, pull: u64) -> anyhow::Result<String> {
        let number = pull.to_string();
        let path = self.path(&["pulls", &number]);
        let answer = self.ask(&Ask::get(&path, &[]))?;
        let pull: Pull = self.value(&answer, &format!("pull request {number}"))?;
        Ok(pull.head.sha)
    }

    /// The login of the token; `None` for the token of an app.
    pub(super) fn login(&self) -> anyhow::Result<Option<String>> {
        let answer = self.ask(&Ask::get(&["user"], &[]))?;
        if answer.status != 200 {
            return Ok(None);
        }
        let user: User = self.value(&answer, "the token's account")?;
        Ok(Some(user.login))
    }

    pub(super) fn comments(&self, pull: u64) -> anyhow::Result<Vec<Comment>> {
        let number = pull.to_string();
        let path = self.path(&["issues", &number, "comments"]);
        let what = format!("pull request {number}");
        let mut comments = Vec::new();
        for page in 1..=PAGES {
            let (size, page) = (PAGE.to_string(), page.to_string());
            let query = [("per_page", Some(&*size)), ("page", Some(&*page))];
            let answer = self.ask(&Ask::get(&path, &query))?;
            let mut found: Vec<Comment> = self.value(&answer, &what)?;
            let is_last = found.is_empty() || !answer.has_next && found.len() < PAGE;
            comments.append(&mut found);
            if is_last {
                return Ok(comments);
            }
        }
        bail!(
            "pull request {number} has more than {} comments",
            PAGES * PAGE
        )
    }

    /// If the site fails, the comment may exist anyway, so `find` looks for it before a retry.
    pub(super) fn create(
        &self,
        pull: u64,
        body: &str,
        find: impl Fn() -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let number = pull.to_string();
        let path = self.path(&["issues", &number, "comments"]);
        let ask = Ask::with_body(Method::POST, &path, body);
        for attempt in 0.. {
            match self.once(&ask)? {
                Outcome::Answered(answer) => {
                    return self.expect(&answer, &format!("pull request {number}"));
                }
                Outcome::Failed(why, pause) => {
                    self.pause_after(attempt, why, pause)?;
                    if find()? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn update(&self, comment: u64, body: &str) -> anyhow::Result<bool> {
        let id = comment.to_string();
        let path = self.path(&["issues", "comments", &id]);
        let answer = self.ask(&Ask::with_body(Method::PATCH, &path, body))?;
        if answer.status == 404 {
            return Ok(false);
        }
        self.expect(&answer, &format!("comment {id}"))?;
        Ok(true)
    }

    pub(super) fn delete(&self, comment: u64) -> anyhow::Result<()> {
        let id = comment.to_string();
        let path = self.path(&["issues", "comments", &id]);
        let answer = self.ask(&Ask {
            method: Method::DELETE,
            path: &path,
            query: &[],
            body: None,
        })?;
        match answer.status {
            404 => Ok(()),
            _ => self.expect(&answer, &format!("comment {id}")),
        }
    }

    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let mut path = vec!["repos", &*self.repo.owner, &*self.repo.name];
        path.extend(rest);
        path
    }

    fn ask(&self, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let mut attempt = 0;
        loop {
            match self.once(ask)? {
                Outcome::Answered(answer) => return Ok(answer),
                Outcome::Failed(why, pause) => self.pause_after(attempt, why, pause)?,
            }
            attempt += 1;
        }
    }

    fn once(&self, ask: &Ask<'_>) -> anyhow::Result<Outcome> {
        loop {
            let answer = match self.send(ask) {
                Ok(answer) => answer,
                Err(error) => return Ok(Outcome::Failed(error.to_string(), None)),
            };
            if answer.status >= 500 {
                let pause = answer.limits.retry_after.map(Duration::from_secs);
                return Ok(Outcome::Failed(format!("status {}", answer.status), pause));
            }
            let message = answer.message();
            let pause = answer
                .limits
                .pause(answer.status, &message, Timestamp::now());
            let Some(pause) = pause else {
                return Ok(Outcome::Answered(answer));
            };
            self.wait(pause, || {
                format!("the rate limit of {} is used up", self.base.as_str())
            })?;
        }
    }

    fn pause_after(
        &self,
        attempt: u32,
        why: String,
        pause: Option<Duration>,
    ) -> anyhow::Result<()> {
        let server = self.base.as_str();
        if attempt >= RETRIES {
            bail!("{server} failed {} times: {why}", RETRIES + 1);
        }
        let pause = pause.unwrap_or(PAUSE * 2_u32.pow(attempt));
        self.wait(pause, || format!("{server} failed ({why})"))
    }

    fn wait(&self, pause: Duration, why: impl Fn() -> String) -> anyhow::Result<()> {
        let left = self.patience.get().checked_sub(pause).ok_or_else(|| {
            anyhow!(
                "{}, and the next request has to wait {} s, longer than --max-wait allows; run this \
                 again later",
                why(),
                pause.as_secs()
            )
        })?;
        self.patience.set(left);
        eprintln!("note: {}; waiting {} s", why(), pause.as_secs());
        sleep(pause);
        Ok(())
    }

    fn send(&self, ask: &Ask<'_>) -> Result<Answer, ureq::Error> {
        let request = Request::builder()
            .method(&ask.method)
            .uri(self.base.url(ask.path, ask.query))
            .header(header::ACCEPT, "application/vnd.github+json")
            .header("x-github-api-version", VERSION)
            .header(header::AUTHORIZATION, self.token.bearer());
        let mut response = match &ask.body {
            Some(body) => {
                let request = request.header(header::CONTENT_TYPE, "application/json");
                let body = body.to_string();
                self.agent.run(request.body(body.as_bytes())?)?
            }
            None => self.agent.run(request.body(())?)?,
        };
        let links = response
            .headers()
            .get(header::LINK)
            .and_then(|links| links.to_str().ok())
            .unwrap_or_default();
        Ok(Answer {
            status: response.status().as_u16(),
            limits: Limits::of(response.headers()),
            has_next: links.contains("rel=\"next\""),
            bytes: body(&mut response, MAX_ANSWER)?,
        })
    }

    fn value<T: DeserializeOwned>(&self, answer: &Answer, what: &str) -> anyhow::Result<T> {
        self.expect(answer, what)?;
        let server = self.base.as_str();
        serde_json::from_slice(&answer.bytes)
            .with_context(|| format!("{server} gives an unexpected answer about {what}"))
    }

    /// The error of an answer that is not a success, with advice.
    fn expect(&self, answer: &Answer, what: &str) -> anyhow::Result<()> {
        let (server, repo) = (
            self.base.as_str(),
            format!("{}/{}", self.repo.owner, self.repo.name),
        );
        let said = answer.message();
        let said = if said.is_empty() {
            String::new()
        } else {
            format!(" (it says: {})", said.escape_debug())
        };
        match answer.status {
            200..=299 => Ok(()),
            300..=399 => bail!("{repo} was renamed or moved{said}; pass its new name with --repo"),
            401 => bail!(
                "{server} rejects the token{said}; set GITHUB_TOKEN to the token of the job, \
                 ${{{{ github.token }}}}, or to another valid one"
            ),
            403 => bail!(
                "the token may not comment: {server} refuses {what} of {repo}{said}; give the job \
                 `permissions: pull-requests: write`. A job of a pull request from a fork never has \
                 it: comment from a workflow on `workflow_run`, with --from"
            ),
            404 => bail!(
                "{repo} has no {what}, or the token may not see it{said}; check --repo and --pr, \
                 and that the job has `permissions: pull-requests: write`"
            ),
            status => bail!("{server} refuses {what} of {repo} with status {status}{said}"),
        }
    }
}

impl<'a> Ask<'a> {
    fn get(path: &'a [&'a str], query: &'a [(&'a str, Option<&'a str>)]) -> Self {
        Self {
            method: Method::GET,
            path,
            query,
            body: None,
        }
    }

    fn with_body(method: Method, path: &'a [&'a str], body: &str) -> Self {
        Self {
            method,
            path,
            query: &[],
            body: Some(serde_json::json!({ "body": body })),
        }
    }
}

impl Answer {
    fn message(&self) -> String {
        #[derive(Deserialize)]
        struct ErrorBody {
            #[serde(default)]
            message: String,
        }
        if self.status < 300 {
            return String::new();
        }
        let said = serde_json::from_slice::<ErrorBody>(&self.bytes);
        said.map_or_else(
            |_| String::new(),
            |said| said.message.chars().take(300).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_an_owner_and_a_name() {
        assert!(Repo::parse("pytorch/pytorch").is_ok());
        assert!(Repo::parse("a-b/c.d_e").is_ok());
        for bad in [
            "", "pytorch", "/a", "a/", "a/b/c", "a/..", "../b", "a b/c", "a/b?x",
        ] {
            assert!(Repo::parse(bad).is_err(), "{bad}");
        }
    }
}

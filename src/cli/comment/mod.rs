//! `opatlas comment`: keeps a comment with a comparison on a pull request up to date.

mod artifact;
mod event;
mod limits;
mod markup;
mod publish;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;

use crate::cli::compare::{How, exit_code};
use crate::cli::remote::{Base, Token};
use opatlas_report::changes;
use opatlas_report::changes::LEAST_MAX_CHARS;

use artifact::{Artifact, LONGEST_PART, is_commit};
use event::Event;
use markup::Markup;
use site::{Repo, Site};

/// Posts the comparison of two revisions as a comment on a pull request, and keeps it up to date.
///
/// BASE and HEAD, the text, and the exit code are as in `opatlas compare`. With --from, it posts a
/// report of another job: files of `compare --format markdown --out` or `compare --format json
/// --max-chars`, with the number of the pull request and the id of the commit in the files `number`
/// and `head`. That job needs no rights, and the exit code only says whether the report was posted.
/// Mentions in the report have no effect, and its links lead only to the server of --permalink.
///
/// The report is posted only if the pull request is still at the commit that it is about: that of
/// --head-sha, of the job's event, or HEAD itself if that is a commit.
///
/// A report that is too long for one comment is split over several. Later runs edit these comments
/// in place and delete those that are no longer needed. Comments by other accounts are never touched.
#[derive(Debug, Args)]
pub(super) struct Comment {
    /// The revision to compare with
    #[arg(required_unless_present = "from", requires = "head")]
    base: Option<String>,

    /// The revision with the changes
    head: Option<String>,

    /// Post the report in this folder instead of comparing
    #[arg(long, value_name = "DIR", conflicts_with = "base")]
    from: Option<PathBuf>,

    /// The repository of the pull request
    #[arg(long, env = "GITHUB_REPOSITORY", value_name = "OWNER/NAME", value_parser = Repo::parse)]
    repo: Repo,

    /// The number of the pull request; by default that of the job's event or of the report
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pr: Option<u64>,

    /// The commit that the report is about; nothing is posted if the pull request has newer ones. By
    /// default that of the job's event, else HEAD; files have none
    #[arg(long, value_name = "COMMIT", value_parser = commit)]
    head_sha: Option<String>,

    /// The REST API of the site
    #[arg(
        long,
        env = "GITHUB_API_URL",
        value_name = "URL",
        default_value = "https://api.github.com",
        value_parser = Base::parse
    )]
    api_url: Base,

    /// The token of the job; safer in the environment, because other users can see arguments
    #[arg(
        long,
        env = "GITHUB_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN",
        value_parser = Token::parse
    )]
    github_token: Option<Token>,

    /// The name of the comment; two comparisons on one pull request need two names
    #[arg(long, value_name = "NAME", default_value = "operators", value_parser = name)]
    name: String,

    /// The most characters that a comment may have
    #[arg(long, value_name = "NUMBER", default_value_t = 65_000, value_parser = max_chars)]
    max_chars: usize,

    /// The most seconds to wait for rate limits and for a site that fails
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    max_wait: u64,

    /// A file that describes the event of the job
    #[arg(long, env = "GITHUB_EVENT_PATH", value_name = "FILE", hide = true)]
    event: Option<PathBuf>,

    #[command(flatten)]
    how: How,
}

struct Post {
    pull: u64,
    about: About,
    parts: Vec<String>,
}

/// The commit that a report is about.
enum About {
    /// The commit of a run. A newer commit has a run of its own.
    Run(String),
    /// The commit that the user compared, perhaps abbreviated.
    Compared(String),
}

impl Comment {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let token = self.github_token.clone().filter(|token| !token.is_empty());
        let token = token.context(
            "a token is needed to comment: set GITHUB_TOKEN, in a workflow to ${{ github.token }}",
        )?;
        let event = Event::read(self.event.as_deref())?;
        let (parts, code, claimed) = match (&self.from, &self.base, &self.head) {
            (Some(folder), ..) => {
                let markup = Markup::linking_to(self.how.permalink());
                let artifact = Artifact::read(folder, &markup)?;
                let claimed = (artifact.number, artifact.head);
                (artifact.parts, ExitCode::SUCCESS, claimed)
            }
            (None, Some(base), Some(head)) => {
                let (parts, code) = self.compare(base, head).await?;
                (parts, code, (None, None))
            }
            _ => bail!("name a base and a head, or a folder with --from"),
        };
        let post = self.post(parts, &event, claimed)?;
        let patience = Duration::from_secs(self.max_wait);
        let site = Site::new(self.api_url, token, self.repo, patience);
        let name = self.name;
        let said = tokio::task::spawn_blocking(move || send(&site, &name, &post)).await;
        println!("{}", said.map_err(|error| anyhow!("{error}"))??);
        Ok(code)
    }

    async fn compare(&self, base: &str, head: &str) -> anyhow::Result<(Vec<String>, ExitCode)> {
        let sides = self.how.sides(base, head).await?;
        let judged = self.how.judge(sides).await?;
        Ok(judged.report(&self.how, Some(self.max_chars), |report| {
            let parts = changes::markdown(report);
            (parts, exit_code(report.conclusion()))
        }))
    }

    /// The last argument has the folder's claims, which must agree with the other sources.
    fn post(
        &self,
        parts: Vec<String>,
        event: &Event,
        (number, head): (Option<u64>, Option<String>),
    ) -> anyhow::Result<Post> {
        let known = self.pr.or_else(|| event.number());
        let pull = known
            .or(number)
            .context("the pull request is unknown: pass its number with --pr")?;
        if let Some(number) = number.filter(|number| *number != pull) {
            bail!("the report is about pull request {number}, not {pull}");
        }
        let commit = self.head_sha.as_deref().or_else(|| event.head());
        if let (Some(head), Some(commit)) = (&head, commit)
            && !head.eq_ignore_ascii_case(commit)
        {
            bail!("the report is about commit {head}, not {commit}");
        }
        let about = match commit {
            Some(commit) => About::Run(commit.to_owned()),
            None => About::Compared(self.compared_commit()?.context(
                "the commit that the report is about is unknown: pass it with --head-sha. The \
                 report is posted only if the pull request is still at this commit",
            )?),
        };
        Ok(Post { pull, about, parts })
    }

    /// The commit that was compared; `None` for files, and for reports of other jobs.
    fn compared_commit(&self) -> anyhow::Result<Option<String>> {
        let head = self.head.as_deref().filter(|_| self.from.is_none());
        head.map_or(Ok(None), |head| self.how.commit_of(head))
    }
}

/// Posts the comment, unless the pull request has newer commits. Returns a summary.
fn send(site: &Site, name: &str, post: &Post) -> anyhow::Result<String> {
    let pull = post.pull;
    let newest = site.head(pull)?.to_ascii_lowercase();
    match &post.about {
        About::Run(head) if !newest.eq_ignore_ascii_case(head) => {
            return Ok(format!(
                "pull request {pull} is at {newest}, not at {head}; its own run will comment"
            ));
        }
        About::Compared(head) if !newest.starts_with(&head.to_ascii_lowercase()) => bail!(
            "pull request {pull} is at {newest}, but the report is about {head}; fetch the pull \
             request and compare its last commit"
        ),
        _ => {}
    }
    let done = publish::publish(site, pull, name, &post.parts)?;
    Ok(format!("comments of pull request {pull}: {done}"))
}

fn commit(text: &str) -> Result<String, String> {
    if is_commit(text) {
        Ok(text.to_owned())
    } else {
        Err("a commit is written with all 40 digits of its id".to_owned())
    }
}

fn name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if !text.is_empty() && text.len() <= 40 && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("a name has 1 to 40 lower-case letters and digits".to_owned())
    }
}

fn max_chars(text: &str) -> Result<usize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (LEAST_MAX_CHARS..=LONGEST_PART).contains(number));
    number.ok_or_else(|| format!("it is a number from {LEAST_MAX_CHARS} to {LONGEST_PART}"))
}

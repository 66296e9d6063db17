//! What a comparison is answered with: every form of it, and what the head comes to against further
//! revisions.

use std::sync::Arc;

use crate::diff::policy::Judgement;
use crate::diff::rules::Level;
use crate::report::changes::{self, Report, Side};
use crate::report::findings::{Colour, SourceText};
use crate::service::compare::{Compared, Rulebook};
use crate::service::{Resolved, ServiceError, Snapshot};
use crate::source::NATIVE_FUNCTIONS;

use super::Api;
use super::change::Telling;
use super::compare::CompareQuery;
use super::comparison::{Against, SideView, Told, comparison};
use super::negotiate::Media;
use super::problem::Problem;
use super::respond::json;

/// A side, read.
pub(super) struct Read {
    pub snapshot: Arc<Snapshot>,
    pub view: SideView,
    pub resolved: Option<Resolved>,
}

/// All that a comparison is made from.
pub(super) struct Making {
    pub base: Read,
    pub head: Read,
    pub others: Vec<Read>,
    pub rulebook: Rulebook,
    pub query: CompareQuery,
    pub media: Media,
    pub permalink: Option<String>,
}

/// The bytes of the answer; for Markdown, all parts as a JSON list.
pub(super) async fn make(api: &Api, making: Making) -> Result<Vec<u8>, Problem> {
    let today = api.service.today();
    let root = api.config.public_url.clone();
    let work = move || {
        let Making {
            base,
            head,
            others,
            rulebook,
            query,
            media,
            permalink,
        } = making;
        let compared = Compared::new(Arc::clone(&base.snapshot), Arc::clone(&head.snapshot))?;
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        let against = others
            .iter()
            .map(|other| {
                let snapshot = Arc::clone(&other.snapshot);
                held_against(
                    snapshot,
                    &other.view,
                    (&compared, &judgement),
                    &rulebook,
                    today,
                )
            })
            .collect::<Result<Vec<_>, ServiceError>>()?;
        let sources = (source(&base.snapshot), source(&head.snapshot));
        let rules_url = root.map(|root| format!("{}/rules/", root.trim_end_matches('/')));
        let report = Report {
            comparison: &compared.comparison,
            judgement: &judgement,
            policy: &rulebook.policy,
            exceptions: &rulebook.exceptions,
            base: Side {
                title: &base.view.title,
                source: sources.0,
                file_url: None,
            },
            head: Side {
                title: &head.view.title,
                source: sources.1,
                file_url: None,
            },
            // A comment elsewhere needs the whole address.
            permalink: permalink.as_deref().filter(|_| rules_url.is_some()),
            rules_url: rules_url.as_deref(),
            max_chars: query.max_chars,
        };
        let bytes = match media {
            Media::Markdown => json(&parts(&report, &against)),
            Media::Text => changes::text(&report, Colour::Never).into_bytes(),
            Media::JUnit => changes::junit(&report).into_bytes(),
            Media::Sarif => json(&changes::sarif(&report)),
            _ => {
                let told = Told {
                    compared: &compared,
                    base: &base.view,
                    head: &head.view,
                    policy: &rulebook.policy,
                    telling: Telling {
                        judgement: &judgement,
                        exceptions: &rulebook.exceptions,
                        base: Some(sources.0),
                        head: Some(sources.1),
                    },
                };
                let mut answer = comparison(told, rulebook.notes.clone());
                answer.conclusion = worst(answer.conclusion, &against);
                if query.max_chars.is_some() {
                    answer.parts = parts(&report, &against);
                }
                answer.against = against;
                answer.permalink = permalink.clone();
                json(&answer)
            }
        };
        Ok(bytes)
    };
    api.service.compute(work).await?
}

fn source(snapshot: &Snapshot) -> &SourceText {
    snapshot
        .source(NATIVE_FUNCTIONS)
        .expect("a bundle without native_functions.yaml is not admitted")
}

/// What the head comes to against another revision; of its changes those that are not told of the
/// base already.
///
/// # Errors
/// As [`Compared::new`].
pub fn held_against(
    other: Arc<Snapshot>,
    view: &SideView,
    (compared, told): (&Compared, &Judgement),
    rulebook: &Rulebook,
    today: jiff::civil::Date,
) -> Result<Against, ServiceError> {
    let again = Compared::new(other, Arc::clone(&compared.head))?;
    let judgement = again.judge(&rulebook.policy, &rulebook.exceptions, today);
    let known: rustc_hash::FxHashSet<_> = told
        .changes
        .iter()
        .map(|judged| judged.change.fingerprint())
        .collect();
    let telling = Telling {
        judgement: &judgement,
        exceptions: &rulebook.exceptions,
        base: Some(source(&again.base)),
        head: Some(source(&again.head)),
    };
    let changes = judgement.changes.iter().filter(|judged| {
        judged.is_counted()
            && judged.level >= Level::Dangerous
            && !known.contains(&judged.change.fingerprint())
    });
    Ok(Against {
        base: view.clone(),
        conclusion: judgement.conclusion.as_str(),
        summary: judgement.summary.into(),
        changes: changes.map(|judged| telling.change(judged)).collect(),
    })
}

/// The worst of a conclusion and those against further revisions.
#[must_use]
pub fn worst(own: &'static str, against: &[Against]) -> &'static str {
    let all = || against.iter().map(|other| other.conclusion).chain([own]);
    let found = ["fail", "warn"]
        .into_iter()
        .find(|word| all().any(|c| c == *word));
    found.unwrap_or(own)
}

/// The Markdown report, beginning with the further revisions that the head does not pass against.
/// They have a part of their own where the first one has no room for them.
#[must_use]
pub fn parts(report: &Report<'_>, against: &[Against]) -> Vec<String> {
    let mut parts = changes::markdown(report);
    let lines = against.iter().filter(|other| other.conclusion != "pass");
    let lines: Vec<String> = lines
        .map(|other| {
            let (breaking, dangerous) = (other.summary.breaking, other.summary.dangerous);
            let (title, conclusion) = (other.base.title.replace('`', "'"), other.conclusion);
            format!("- against `{title}`: **{conclusion}**, {breaking} breaking, {dangerous} dangerous\n")
        })
        .collect();
    if lines.is_empty() {
        return parts;
    }
    let section = format!("**Further revisions**\n\n{}\n", lines.concat());
    let length = |text: &str| text.chars().count();
    let fits = |first: &String| {
        let both = length(&section) + length(first);
        report.max_chars.is_none_or(|max| both <= max)
    };
    match parts.first_mut().filter(|first| fits(first)) {
        Some(first) => first.insert_str(0, &section),
        None => parts.insert(0, section),
    }
    parts
}

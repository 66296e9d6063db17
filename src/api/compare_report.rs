//! What a comparison is answered with: every form of it, and what the head comes to against further
//! revisions.

use std::sync::Arc;

use crate::service::compare::{Compared, Rulebook};
use crate::service::{Resolved, ServiceError, Snapshot};
use opatlas_diff::policy::{Conclusion, Judgement, Summary};
use opatlas_diff::rules::Level;
use opatlas_report::changes;
use opatlas_report::changes::{Further, Report, Side};
use opatlas_report::findings::{Colour, SourceText};
use opatlas_source::NATIVE_FUNCTIONS;

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
        let further: Vec<Further<'_>> = against.iter().map(Held::further).collect();
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
            further: &further,
            // A comment elsewhere needs the whole address.
            permalink: permalink.as_deref().filter(|_| rules_url.is_some()),
            rules_url: rules_url.as_deref(),
            max_chars: query.max_chars,
        };
        let bytes = match media {
            Media::Markdown => json(&changes::markdown(&report)),
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
                answer.conclusion = report.conclusion().as_str();
                if query.max_chars.is_some() {
                    answer.parts = changes::markdown(&report);
                }
                answer.against = against.iter().map(|held| held.told.clone()).collect();
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

/// What the head comes to against a further revision, for every rendering.
#[derive(Debug, Clone)]
pub struct Held {
    /// As the API tells it.
    pub told: Against,
    conclusion: Conclusion,
    summary: Summary,
}

impl Held {
    /// As reports tell it.
    #[must_use]
    pub fn further(&self) -> Further<'_> {
        Further {
            title: &self.told.base.title,
            conclusion: self.conclusion,
            summary: self.summary,
        }
    }
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
) -> Result<Held, ServiceError> {
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
    Ok(Held {
        told: Against {
            base: view.clone(),
            conclusion: judgement.conclusion.as_str(),
            summary: judgement.summary.into(),
            changes: changes.map(|judged| telling.change(judged)).collect(),
        },
        conclusion: judgement.conclusion,
        summary: judgement.summary,
    })
}

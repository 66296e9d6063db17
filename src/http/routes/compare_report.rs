//! The formats of a comparison, and the verdicts on the head against other revisions.

use std::sync::Arc;

use bytes::Bytes;
use jiff::civil::Date;
use opatlas_diff::cards::Card;
use opatlas_diff::policy::{Exception, Judgement};
use opatlas_report::changes;
use opatlas_report::changes::{Further, NewFindings, Report};
use opatlas_report::findings::{Colour, Findings};
use opatlas_report::room::Room;
use opatlas_rules::Introduced;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::negotiate::Media;
use crate::http::routes::compare_sides::{Side, read};
use crate::service::compare::{Compared, Rulebook};
use crate::service::{LARGEST_ANSWER, Reader, Resolved, ServiceError, Snapshot, Threads};
use crate::wire::against::FurtherVerdict;
use crate::wire::change;
use crate::wire::compare::CompareQuery;
use crate::wire::comparison::{ComparisonParts, SideView, comparison};
use crate::wire::json::json;
use crate::wire::problem::Problem;

/// A side, read.
pub(crate) struct Read {
    pub snapshot: Arc<Snapshot>,
    pub view: SideView,
    pub resolved: Option<Resolved>,
}

/// All that a comparison is made from.
pub(crate) struct Making {
    pub base: Side,
    pub head: Side,
    /// Other revisions to compare the head with.
    pub others: Vec<Resolved>,
    pub rulebook: Rulebook,
    pub query: CompareQuery,
    pub media: Media,
    pub permalink: Option<String>,
}

/// The format and options of a report.
struct Rendering {
    query: CompareQuery,
    media: Media,
    permalink: Option<String>,
    root: Option<String>,
}

/// A comparison, judged.
struct Judged {
    base: Read,
    head: Read,
    compared: Compared,
    judgement: Judgement,
    introduced: Introduced,
    cards: Vec<Card>,
    rulebook: Rulebook,
    /// About files that one side lacks.
    notes: Vec<String>,
}

/// The bytes of the answer; for Markdown, all parts as a JSON list. Other revisions are read one by
/// one, so that memory holds few of them at a time.
pub(crate) async fn make(api: &Api, making: Making) -> Result<Bytes, Problem> {
    let Making {
        base,
        head,
        others,
        rulebook,
        query,
        media,
        permalink,
    } = making;
    let service = &api.service;
    let (today, reader) = (service.today(), service.reader());
    let rendering = Rendering {
        query,
        media,
        permalink,
        root: api.config.public_url.clone(),
    };
    let judge = move |stop: &Stop| Judged::new((base, head), &reader, rulebook, today, stop);
    if others.is_empty() {
        let make = move |stop: &Stop| {
            let judged = judge(stop)?;
            let told = told(&judged, &[], &rendering, stop);
            Threads.free(judged);
            Ok(told)
        };
        return service.make(make).await;
    }
    let place = service.place().await?;
    let judged = service.compute(move |stop| Ok(judge(stop))).await??;
    let judged = Arc::new(judged);
    let mut against = Vec::with_capacity(others.len());
    for other in others {
        let other = read(api, other).await?;
        let judged = Arc::clone(&judged);
        let hold = move |stop: &Stop| {
            let (judgement, rulebook) = (&judged.judgement, &judged.rulebook);
            let further =
                judged
                    .compared
                    .judge_against(other.snapshot, judgement, rulebook, today, stop)?;
            Ok::<_, ServiceError>(FurtherVerdict::new(&further, &other.view, rulebook))
        };
        against.push(service.compute(move |stop| Ok(hold(stop))).await??);
    }
    let made = service.make(move |stop| Ok(told(&judged, &against, &rendering, stop)));
    let made = made.await;
    drop(place);
    made
}

/// How the ids of exceptions begin that came in the body of the request.
pub(crate) const GIVEN: &str = "exceptions[";

impl Judged {
    fn new(
        (base, head): (Side, Side),
        reader: &Reader,
        mut rulebook: Rulebook,
        today: Date,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        let base = base.read(reader, stop)?;
        let (head, notes) = head.completed(&base.snapshot.bundle);
        let head = head.read(reader, stop)?;
        let sides = (Arc::clone(&base.snapshot), Arc::clone(&head.snapshot));
        let judged = head.resolved.as_ref().map(|head| &head.judged);
        let compared = Compared::checked(sides.0, sides.1, stop)?.named(judged);
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        stop.check()?;
        let is_given = |exception: &Exception| exception.id.starts_with(GIVEN);
        let useless = compared.useless(&judgement, &rulebook.exceptions, is_given);
        rulebook.notes.extend(useless);
        Ok(Self {
            base,
            head,
            introduced: compared.introduced(),
            cards: compared.cards(stop)?,
            compared,
            judgement,
            rulebook,
            notes,
        })
    }
}

fn told(
    judged: &Judged,
    against: &[FurtherVerdict],
    rendering: &Rendering,
    stop: &Stop,
) -> Vec<u8> {
    let Judged {
        base,
        head,
        compared,
        judgement,
        introduced,
        cards,
        rulebook,
        notes,
    } = judged;
    let further: Vec<Further<'_>> = against.iter().map(FurtherVerdict::further).collect();
    let files = (base.snapshot.changed_files(), head.snapshot.changed_files());
    let root = rendering.root.as_ref();
    let rules_url = root.map(|root| format!("{}/rules/", root.trim_end_matches('/')));
    let side = |title, files| changes::Side {
        title,
        files,
        file_url: None,
    };
    let room = Room::new(LARGEST_ANSWER, stop);
    let new = Findings {
        findings: &introduced.new,
        omitted: &introduced.omitted,
        sources: head.snapshot.sources(&introduced.new),
        room: &room,
    };
    let report = Report {
        comparison: &compared.comparison,
        judgement,
        policy: &rulebook.policy,
        exceptions: &rulebook.exceptions,
        base: side(&*base.view.title, files.0),
        head: side(&*head.view.title, files.1),
        found: NewFindings {
            new: &new,
            gone: introduced.gone,
            head_errors: introduced.head_errors,
        },
        cards,
        notes,
        further: &further,
        // A comment elsewhere needs the whole address.
        permalink: rendering
            .permalink
            .as_deref()
            .filter(|_| rules_url.is_some()),
        rules_url: rules_url.as_deref(),
        max_chars: rendering.query.max_chars,
        room: &room,
    };
    match rendering.media {
        Media::Markdown => json(&changes::markdown(&report)),
        Media::Text => changes::text(&report, Colour::Never).into_bytes(),
        Media::JUnit => changes::junit(&report).into_bytes(),
        Media::Sarif => changes::sarif(&report).into_bytes(),
        _ => {
            let told = ComparisonParts {
                compared,
                base: &base.view,
                head: &head.view,
                policy: &rulebook.policy,
                introduced,
                cards,
                context: change::ChangeContext {
                    judgement,
                    exceptions: &rulebook.exceptions,
                    base: Some(files.0),
                    head: Some(files.1),
                },
            };
            let mut answer = comparison(told, [&*rulebook.notes, notes].concat());
            answer.conclusion = report.conclusion().as_str();
            if rendering.query.max_chars.is_some() {
                answer.parts = changes::markdown(&report);
            }
            answer.against = against.iter().map(|held| held.against.clone()).collect();
            answer.permalink.clone_from(&rendering.permalink);
            answer.json(&Threads)
        }
    }
}

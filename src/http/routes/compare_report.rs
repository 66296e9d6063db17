//! The formats of a comparison, and the verdicts on the head against other revisions.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use jiff::civil::Date;
use opatlas_diff::policy::{Exception, Judgement};
use opatlas_report::changes;
use opatlas_report::changes::{Further, NewFindings, Report};
use opatlas_report::findings::{Colour, Findings};
use opatlas_report::room::Room;
use opatlas_rules::Introduced;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::negotiate::Media;
use crate::http::routes::compare_parts;
use crate::http::routes::compare_sides::{Side, read};
use opatlas_service::compare::{Compared, Rulebook};
use opatlas_service::further::Reported;
use opatlas_service::{LARGEST_ANSWER, Reader, Resolved, ServiceError, Snapshot};
use opatlas_wire::against::FurtherVerdict;
use opatlas_wire::change;
use opatlas_wire::compare::CompareQuery;
use opatlas_wire::comparison::{Comparison, ComparisonParts, SideView, comparison};
use opatlas_wire::json;
use opatlas_wire::problem::Problem;

/// A side, read.
pub(crate) struct Read {
    pub snapshot: Arc<Snapshot>,
    pub view: SideView,
    pub resolved: Option<Resolved>,
}

impl Read {
    /// A stored revision, and its snapshot.
    pub(crate) fn of(resolved: Resolved, snapshot: Arc<Snapshot>) -> Self {
        Self {
            view: SideView {
                title: resolved.title(),
                project: Some(resolved.project.to_string()),
                revision: format!("sha256:{}", resolved.digest),
                label: resolved.label.as_ref().map(|label| label.name.to_string()),
                release: resolved.release().as_str(),
            },
            snapshot,
            resolved: Some(resolved),
        }
    }

    fn side(&self) -> changes::Side<'_> {
        changes::Side {
            title: &self.view.title,
            files: self.snapshot.changed_files(),
            file_url: None,
        }
    }
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
    rulebook: Rulebook,
    /// About files that one side lacks.
    notes: Vec<String>,
}

/// How the sides are judged, how that is told, and what else the head is held against.
fn prepare(
    api: &Api,
    making: Making,
) -> (
    impl FnOnce(&Stop) -> Result<Judged, ServiceError> + Send + 'static,
    Rendering,
    Vec<Resolved>,
) {
    let Making {
        base,
        head,
        others,
        rulebook,
        query,
        media,
        permalink,
    } = making;
    let (today, reader) = (api.service.today(), api.service.reader());
    let rendering = Rendering {
        query,
        media,
        permalink,
        root: api.config.public_url.clone(),
    };
    let by = (rulebook, today);
    let judge = move |stop: &Stop| Judged::new((base, head), &reader, by, stop);
    (judge, rendering, others)
}

/// The bytes of the answer; for Markdown, all parts as [`compare_parts`] keeps them. Other revisions are read when it is
/// their turn, so that memory holds few of them at a time.
pub(crate) async fn make(api: &Api, making: Making) -> Result<Bytes, Problem> {
    let (service, today) = (&api.service, api.service.today());
    let (judge, rendering, others) = prepare(api, making);
    if others.is_empty() {
        let make = move |stop: &Stop| {
            let judged = judge(stop)?;
            Ok(told(&judged, &[], &rendering, stop)?)
        };
        return service.make(make).await;
    }
    let place = service.place().await?;
    let judge = move |stop: &Stop| {
        let judged = judge(stop)?;
        let reported = Reported::of(&judged.judgement);
        Ok::<_, ServiceError>((judged, reported))
    };
    let judged = service.compute(move |stop| Ok(judge(stop))).await??;
    let holding = Arc::new(judged);
    let mut against = Vec::with_capacity(others.len());
    for other in others {
        let base = read(api, other).await?;
        let holding = Arc::clone(&holding);
        let verdict = move |stop: &Stop| {
            let (judged, reported) = &*holding;
            let (compared, rulebook) = (&judged.compared, &judged.rulebook);
            let snapshot = Arc::clone(&base.snapshot);
            let further = compared.judge_against(snapshot, reported, rulebook, today, stop);
            Ok(further.map(|further| FurtherVerdict::new(&further, &base.view, rulebook)))
        };
        against.push(service.compute(verdict).await??);
    }
    let told = move |stop: &Stop| Ok(told(&holding.0, &against, &rendering, stop)?);
    let made = service.make(told);
    let made = made.await;
    drop(place);
    made
}

/// Writes the JSON of a comparison of two stored revisions alone.
pub(crate) fn write(
    api: &Api,
    making: Making,
) -> impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static {
    let (judge, rendering, _) = prepare(api, making);
    move |stop: &Stop, out: &mut dyn Write| {
        let judged = judge(stop)?;
        judged.reported(&[], &rendering, stop, |report| {
            let answer = judged.answer(&[], &rendering, report);
            // If it is too large, it is refused before any of it is sent.
            json::write(&mut io::sink(), &answer)?;
            json::write(out, &answer)
        })
    }
}

/// How the ids of exceptions begin that came in the body of the request.
pub(crate) const GIVEN: &str = "exceptions[";

impl Judged {
    fn new(
        (base, head): (Side, Side),
        reader: &Reader,
        (mut rulebook, today): (Rulebook, Date),
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        let base = base.read(reader, stop)?;
        let (head, notes) = head.completed(&base.snapshot.bundle);
        let head = head.read(reader, stop)?;
        let sides = (Arc::clone(&base.snapshot), Arc::clone(&head.snapshot));
        let judged = head.resolved.as_ref().map(|head| &head.judged);
        let compared = Compared::checked(sides.0, sides.1, stop)?.named(judged);
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        let is_given = |exception: &Exception| exception.id.starts_with(GIVEN);
        let useless = compared.useless(&judgement, &rulebook.exceptions, is_given);
        let introduced = compared.introduced();
        rulebook.notes.extend(useless);
        stop.check()?;
        Ok(Self {
            base,
            head,
            introduced,
            compared,
            judgement,
            rulebook,
            notes,
        })
    }

    fn parts(&self) -> ComparisonParts<'_> {
        ComparisonParts {
            compared: &self.compared,
            base: &self.base.view,
            head: &self.head.view,
            policy: &self.rulebook.policy,
            introduced: &self.introduced,
            context: change::ChangeContext {
                judgement: &self.judgement,
                exceptions: &self.rulebook.exceptions,
                base: Some(self.base.snapshot.changed_files()),
                head: Some(self.head.snapshot.changed_files()),
            },
        }
    }

    /// The JSON answer.
    fn answer(
        &self,
        against: &[FurtherVerdict],
        rendering: &Rendering,
        report: &Report<'_>,
    ) -> Comparison<'_> {
        let notes = [&*self.rulebook.notes, &self.notes].concat();
        let parts = match rendering.query.max_chars {
            Some(_) => changes::markdown(report),
            None => Vec::new(),
        };
        Comparison {
            conclusion: report.conclusion().as_str(),
            against: against.iter().map(|held| held.against.clone()).collect(),
            permalink: rendering.permalink.clone(),
            parts,
            ..comparison(self.parts(), notes)
        }
    }

    /// What `tell` makes of the report.
    fn reported<T>(
        &self,
        against: &[FurtherVerdict],
        rendering: &Rendering,
        stop: &Stop,
        tell: impl FnOnce(&Report<'_>) -> T,
    ) -> T {
        let further: Vec<Further<'_>> = against.iter().map(FurtherVerdict::further).collect();
        let root = rendering.root.as_ref();
        let rules_url = root.map(|root| format!("{}/rules/", root.trim_end_matches('/')));
        let room = Room::new(LARGEST_ANSWER, stop);
        let introduced = &self.introduced;
        let new = Findings {
            findings: &introduced.new,
            omitted: &introduced.omitted,
            sources: self.head.snapshot.sources(&introduced.new),
            room: &room,
        };
        tell(&Report {
            comparison: &self.compared.comparison,
            causes: self.compared.causes(),
            judgement: &self.judgement,
            policy: &self.rulebook.policy,
            exceptions: &self.rulebook.exceptions,
            base: self.base.side(),
            head: self.head.side(),
            found: NewFindings {
                new: &new,
                gone: introduced.gone,
                head_errors: introduced.head_errors,
            },
            cards: self.compared.cards(),
            notes: &self.notes,
            further: &further,
            // A comment elsewhere needs the whole address.
            permalink: rendering
                .permalink
                .as_deref()
                .filter(|_| rules_url.is_some()),
            rules_url: rules_url.as_deref(),
            max_chars: rendering.query.max_chars,
            room: &room,
        })
    }
}

fn told(
    judged: &Judged,
    against: &[FurtherVerdict],
    rendering: &Rendering,
    stop: &Stop,
) -> Result<Vec<u8>, ServiceError> {
    judged.reported(against, rendering, stop, |report| {
        Ok(match rendering.media {
            Media::Markdown => compare_parts::join(&changes::markdown(report)),
            Media::Text => changes::text(report, Colour::Never).into_bytes(),
            Media::JUnit => changes::junit(report).into_bytes(),
            Media::Sarif => changes::sarif(report),
            _ => json::json(&judged.answer(against, rendering, report)),
        })
    })
}

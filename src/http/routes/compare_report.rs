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
use opatlas_source::{Stop, both};

use crate::http::Api;
use crate::http::negotiate::Media;
use crate::http::routes::compare_sides::{Side, read};
use crate::service::compare::{Compared, Rulebook};
use crate::service::{Items, LARGEST_ANSWER, Reader, Resolved, ServiceError, Snapshot, Threads};
use crate::wire::against::FurtherVerdict;
use crate::wire::change;
use crate::wire::compare::CompareQuery;
use crate::wire::compare_pieces::{Frame, Pieces};
use crate::wire::comparison::{ComparisonParts, SideView};
use crate::wire::json::json;
use crate::wire::problem::Problem;

/// A side, read.
pub(crate) struct Read {
    pub snapshot: Arc<Snapshot>,
    pub view: SideView,
    pub resolved: Option<Resolved>,
}

impl Read {
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
    cards: Vec<Card>,
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
    let judge = move |stop: &Stop| Judged::new((base, head), &reader, rulebook, today, stop);
    (judge, rendering, others)
}

/// The bytes of the answer; for Markdown, all parts as a JSON list. Other revisions are read one by
/// one, so that memory holds few of them at a time.
pub(crate) async fn make(api: &Api, making: Making) -> Result<Bytes, Problem> {
    let (service, today) = (&api.service, api.service.today());
    let (judge, rendering, others) = prepare(api, making);
    if others.is_empty() {
        let make = move |stop: &Stop| {
            let judged = judge(stop)?;
            let told = told(&judged, &[], &rendering, stop)?;
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
    let told = move |stop: &Stop| Ok(told(&judged, &against, &rendering, stop)?);
    let made = service.make(told);
    let made = made.await;
    drop(place);
    made
}

/// The JSON of a comparison of two stored revisions alone, in pieces that are sent while the next ones are
/// made.
pub(crate) fn items(
    api: &Api,
    making: Making,
) -> impl FnOnce(&Stop) -> Result<Items, ServiceError> + Send + 'static {
    let (judge, rendering, _) = prepare(api, making);
    move |stop| {
        let judged = judge(stop)?;
        let frame = |report: &Report<'_>| judged.frame(&[], &rendering, report);
        let frame = judged.reported(&[], &rendering, stop, frame)?;
        Ok(Items {
            count: Pieces::of(&frame, judged.parts()).count(),
            piece: CHANGES,
            make: Box::new(move |range, text| {
                Pieces::of(&frame, judged.parts()).write(range, text);
            }),
        })
    }
}

/// How many changes, or cells, of a comparison are sent together: 40 to 100 KB.
const CHANGES: usize = 128;

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
        let judge = || {
            let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
            let is_given = |exception: &Exception| exception.id.starts_with(GIVEN);
            let useless = compared.useless(&judgement, &rulebook.exceptions, is_given);
            let told = (compared.introduced(), compared.cards(stop));
            (judgement, useless, told)
        };
        // Most formats list changes by cause, and to find those takes as long as all the rest.
        let (judged, _) = both(&Threads, judge, || compared.causes());
        let (judgement, useless, (introduced, cards)) = judged;
        rulebook.notes.extend(useless);
        stop.check()?;
        Ok(Self {
            base,
            head,
            introduced,
            cards: cards?,
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
            cards: &self.cards,
            context: change::ChangeContext {
                judgement: &self.judgement,
                exceptions: &self.rulebook.exceptions,
                base: Some(self.base.snapshot.changed_files()),
                head: Some(self.head.snapshot.changed_files()),
            },
        }
    }

    /// The JSON answer without the lists that are made apart.
    fn frame(
        &self,
        against: &[FurtherVerdict],
        rendering: &Rendering,
        report: &Report<'_>,
    ) -> Result<Frame, ServiceError> {
        let notes = [&*self.rulebook.notes, &self.notes].concat();
        let parts = match rendering.query.max_chars {
            Some(_) => changes::markdown(report),
            None => Vec::new(),
        };
        let conclusion = report.conclusion().as_str();
        Frame::of(self.parts(), &Threads, conclusion, |answer| {
            answer.notes = notes;
            answer.parts = parts;
            answer.against = against.iter().map(|held| held.against.clone()).collect();
            answer.permalink.clone_from(&rendering.permalink);
        })
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
            cards: &self.cards,
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
            Media::Markdown => json(&changes::markdown(report)),
            Media::Text => changes::text(report, Colour::Never).into_bytes(),
            Media::JUnit => changes::junit(report).into_bytes(),
            Media::Sarif => changes::sarif(report).into_bytes(),
            _ => {
                let frame = judged.frame(against, rendering, report)?;
                Pieces::of(&frame, judged.parts()).whole(&Threads)
            }
        })
    })
}

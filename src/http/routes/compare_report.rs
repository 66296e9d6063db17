//! Making the answer of a comparison in each format.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::civil::Date;
use opatlas_diff::policy::Exception;
use opatlas_report::changes;
use opatlas_report::changes::{Filter, Report};
use opatlas_report::findings::Colour;
use opatlas_report::room::Room;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::negotiate::Media;
use crate::http::routes::compare_sides::{Side, read};
use opatlas_service::compare::Rulebook;
use opatlas_service::{LARGEST_ANSWER, Reader, Resolved, ServiceError, View};
use opatlas_wire::against::FurtherVerdict;
use opatlas_wire::compare::CompareQuery;
use opatlas_wire::comparison::Comparison;
use opatlas_wire::json;
use opatlas_wire::judged_comparison::{JudgedComparison, ReportOptions};
use opatlas_wire::problem::Problem;

pub(crate) struct CompareRequest {
    pub base: Side,
    pub head: Side,
    pub rulebook: Rulebook,
    pub others: Vec<Resolved>,
    pub format: ReportFormat,
}

#[derive(Clone)]
pub(crate) struct ReportFormat {
    pub query: CompareQuery,
    pub filter: Filter,
    pub media: Media,
    pub permalink: Option<String>,
    pub root: Option<String>,
}

/// The prefix of the ids of exceptions from the body of the request.
pub(crate) const GIVEN: &str = "exceptions[";

/// Makes the answer; its parts are those of the Markdown report. Reads other revisions one at a
/// time, to limit memory.
pub(crate) async fn make(api: &Api, request: CompareRequest) -> Result<View, Problem> {
    let (service, today) = (&api.service, api.service.today());
    let CompareRequest {
        base,
        head,
        rulebook,
        others,
        format,
    } = request;
    let reader = service.reader();
    let filter = format.filter.clone();
    let judge = move |stop: &Stop| {
        let judged = judge(base, head, rulebook, &reader, today, stop)?;
        Ok::<_, ServiceError>(judged.filtered(&filter))
    };
    if others.is_empty() {
        let make = move |stop: &Stop| Ok(format.render(&judge(stop)?, &[], stop));
        return Ok(View::in_parts(service.make_parts::<Problem>(make).await?));
    }
    let place = service.place().await?;
    let judged = service.compute(move |stop| Ok(judge(stop))).await??;
    let reported = judged.reported();
    let shared = Arc::new((judged, reported));
    let mut against = Vec::with_capacity(others.len());
    for other in others {
        let base = read(api, other).await?;
        let shared = Arc::clone(&shared);
        let verdict = move |stop: &Stop| {
            let (judged, reported) = &*shared;
            Ok(judged.judge_against((&base.view, base.snapshot), reported, today, stop))
        };
        against.push(service.compute(verdict).await??);
    }
    let make = move |stop: &Stop| Ok(format.render(&shared.0, &against, stop));
    let parts = service.make_parts::<Problem>(make).await?;
    drop(place);
    Ok(View::in_parts(parts))
}

pub(crate) fn write(
    api: &Api,
    request: CompareRequest,
) -> impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static {
    let (today, reader) = (api.service.today(), api.service.reader());
    move |stop: &Stop, out: &mut dyn Write| {
        let CompareRequest {
            base,
            head,
            rulebook,
            format,
            ..
        } = request;
        let judged = judge(base, head, rulebook, &reader, today, stop)?;
        let judged = judged.filtered(&format.filter);
        format.report(&judged, &[], stop, |report| {
            let answer = format.answer(&judged, &[], report);
            // Checks the size before anything is sent.
            json::write(&mut io::sink(), &answer)?;
            json::write(out, &answer)
        })
    }
}

fn judge(
    base: Side,
    head: Side,
    rulebook: Rulebook,
    reader: &Reader,
    today: Date,
    stop: &Stop,
) -> Result<JudgedComparison, ServiceError> {
    let base = base.read(reader, stop)?;
    let head = head.read_with_base(&base, reader, stop)?;
    let mut judged = JudgedComparison::new(base, head, rulebook, today, stop)?;
    let is_given = |exception: &Exception| exception.id.starts_with(GIVEN);
    let useless = judged.useless_exceptions(is_given);
    judged.rulebook.notes.extend(useless);
    stop.check()?;
    Ok(judged)
}

impl ReportFormat {
    fn render(
        &self,
        judged: &JudgedComparison,
        against: &[FurtherVerdict],
        stop: &Stop,
    ) -> Vec<Vec<u8>> {
        self.report(judged, against, stop, |report| match self.media {
            Media::Markdown => {
                let parts = changes::markdown(report).into_iter();
                parts.map(String::into_bytes).collect()
            }
            Media::Text => vec![changes::text(report, Colour::Never).into_bytes()],
            Media::JUnit => vec![changes::junit(report).into_bytes()],
            Media::Sarif => vec![changes::sarif(report)],
            _ => vec![json::json(&self.answer(judged, against, report))],
        })
    }

    fn report<T>(
        &self,
        judged: &JudgedComparison,
        against: &[FurtherVerdict],
        stop: &Stop,
        render: impl FnOnce(&Report<'_>) -> T,
    ) -> T {
        let root = self.root.as_ref();
        let rules_url = root.map(|root| format!("{}/rules/", root.trim_end_matches('/')));
        let room = Room::new(LARGEST_ANSWER, stop);
        let options = ReportOptions {
            max_chars: self.query.max_chars,
            // Without the server's address, the link would be broken elsewhere.
            permalink: self.permalink.as_deref().filter(|_| rules_url.is_some()),
            rules_url: rules_url.as_deref(),
            room: &room,
        };
        judged.report(against, options, render)
    }

    fn answer<'a>(
        &self,
        judged: &'a JudgedComparison,
        against: &[FurtherVerdict],
        report: &Report<'_>,
    ) -> Comparison<'a> {
        Comparison {
            permalink: self.permalink.clone(),
            ..judged.answer(against, report)
        }
    }
}

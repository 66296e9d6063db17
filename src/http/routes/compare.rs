//! Comparing revisions.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use opatlas_report::changes::LEAST_MAX_CHARS;

use crate::http::Api;
use crate::http::body;
use crate::http::bundle;
use crate::http::extract::{Path, Query};
use crate::http::middleware::access::Access;
use crate::http::middleware::kept::Keepable;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::routes::compare_report::{CompareRequest, GIVEN, ReportFormat, make, write};
use crate::http::routes::compare_sides::{Side, permalink, read, side};
use crate::http::stream;
use opatlas_service::compare::Rulebook;
use opatlas_service::policy::{EXCEPTIONS, expect_few};
use opatlas_service::{Address, Holds, ServiceError, View, ViewId};
use opatlas_wire::bundle::Files;
use opatlas_wire::compare::{ComparePath, CompareQuery};
use opatlas_wire::compare_sides::CompareBody;
use opatlas_wire::comparison::Comparison;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

/// The number of parts of a Markdown report.
pub const PARTS: HeaderName = HeaderName::from_static("x-parts");

const FORMS: &[Media] = &[
    Media::Json,
    Media::Markdown,
    Media::Sarif,
    Media::JUnit,
    Media::Text,
];

/// Compare two revisions
///
/// The changes between two stored revisions of a project: the verdicts of PyTorch's own check, the
/// changes with the affected audiences, and the effects on every backend, judged by the project's
/// policy and exceptions. `Accept` selects Markdown, SARIF, JUnit or text. With `max_chars` the
/// Markdown report is split into parts between changes; `X-Parts` has their number. `level`, `operator`
/// and `backend` restrict what is listed, never the conclusion.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/compare/{range}",
    tag = "comparisons",
    operation_id = "compare_revisions",
    params(ComparePath, CompareQuery),
    responses(
        (status = 200, description = "The comparison", content(
            (Comparison = "application/json"),
            (String = "text/markdown"),
            (serde_json::Value = "application/sarif+json"),
            (String = "application/xml"),
            (String = "text/plain"),
        ), headers(("x-parts" = u32, description = "The number of parts of the Markdown report"))),
        (status = 404, description = "No such project, revision or part", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The same revision twice, an unreadable side, or no such \
                                      release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn stored(
    State(api): State<Api>,
    Path(path): Path<ComparePath>,
    Query(query): Query<CompareQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    check(&query, media)?;
    let filter = query.filter()?;
    let service = &api.service;
    let (base, head) = split(&path.range, query.against.as_deref())?;
    let release = query.release.as_deref();
    let head = service.resolve(&path.project, head, release).await?;
    let mut against = match query.against.as_deref() {
        Some(against) => {
            service
                .against(&head.project, against, Some(head.digest), Some(&head))
                .await?
        }
        None => Vec::new(),
    };
    let base = match base {
        Some(base) => service.resolve(&path.project, base, release).await?,
        None if against.is_empty() => {
            return Err(ServiceError::NoRevisions(head.project.clone()).into());
        }
        None => against.remove(0),
    };
    against.retain(|other| other.digest != base.digest);
    let mut rulebook = Rulebook::clone(&*service.rulebook(&head.project).await?);
    query.override_policy(&mut rulebook.policy);
    let today = service.today();
    let others: Vec<_> = against.iter().map(|r| (r.digest, r.release())).collect();
    let id = ViewId::new(
        &head,
        "compare",
        &(
            (base.digest, &base.judged, base.title(), head.title()),
            others,
            (
                rulebook.digest,
                rulebook.policy.profile,
                rulebook.policy.fail_on,
                // The permalink contains these options.
                query.judging(),
                today,
                query.max_chars,
                filter.words(),
            ),
        ),
        media.as_str(),
    );
    if let Some(response) = respond::not_modified(&accept, id) {
        return Ok(response);
    }
    let holds = match query.against {
        Some(_) => Holds::Now,
        None => base.holds.and(head.holds),
    };
    let is_of_today = true;
    let keepable = Keepable { holds, is_of_today };
    let is_alone = against.is_empty();
    let (form, given) = (stream::form(&accept), api.clone());
    let request = async || {
        let permalink = permalink(&given, (&base, &head), &query);
        Ok::<_, Problem>(CompareRequest {
            base: Side::Stored(Box::new(read(&given, base).await?)),
            head: Side::Stored(Box::new(read(&given, head).await?)),
            others: against,
            rulebook,
            format: ReportFormat {
                query: query.clone(),
                filter: filter.clone(),
                media,
                permalink,
                root: given.config.public_url.clone(),
            },
        })
    };
    if is_alone && media == Media::Json {
        let reading = match service.bulk(id, form) {
            Some(reading) => reading,
            None => service.make_bulk((id, form), write(&api, request().await?)),
        };
        let mut response = stream::answer(service, &accept, (id, media), reading).await?;
        respond::keep_if_whole(&mut response, keepable);
        return Ok(response);
    }
    let made = async { make(&api, request().await?).await };
    let view = service.view::<Problem>(id, made).await?;
    let mut response = match media {
        Media::Markdown => part(&api, &accept, &view, query.part).await?,
        _ => respond::encoded(service, &accept, id, media, &view).await?,
    };
    response.extensions_mut().insert(keepable);
    Ok(response)
}

/// Compare two bundles
///
/// Like the comparison of two revisions, for files in the body or for files and a stored revision.
/// Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/compare",
    tag = "stateless",
    operation_id = "compare_bundles",
    params(CompareQuery),
    request_body(description = "The two sides", content = CompareBody),
    responses(
        (status = 200, description = "The comparison", content(
            (Comparison = "application/json"),
            (String = "text/markdown"),
            (serde_json::Value = "application/sarif+json"),
            (String = "application/xml"),
            (String = "text/plain"),
        ), headers(("x-parts" = u32, description = "The number of parts of the Markdown report"))),
        (status = 404, description = "No such project, revision or part", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "An unreadable side, no such release, or an invalid policy", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn given(
    State(api): State<Api>,
    access: Access,
    Query(query): Query<CompareQuery>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    check(&query, media)?;
    let filter = query.filter()?;
    match body::media(request.headers()).as_deref() {
        Some("application/json") => {}
        other => return Err(body::unsupported(other, &["application/json"])),
    }
    let body = bundle::json::<CompareBody>(request, &api).await?;
    let service = &api.service;
    let files = [&body.base.files, &body.head.files].into_iter().flatten();
    Files::check(files, service.limits())?;
    let release = query.release.as_deref();
    let mut base = side(&api, &access, body.base, "base", release).await?;
    let mut head = side(&api, &access, body.head, "head", release).await?;
    Side::share_release(&mut base, &mut head);
    let project = [&head, &base].into_iter().find_map(Side::resolved);
    let mut rulebook = match project {
        Some(resolved) => Rulebook::clone(&*service.rulebook(&resolved.project).await?),
        None => Rulebook::default(),
    };
    if let Some(policy) = body.policy {
        rulebook.policy = policy.policy().map_err(ServiceError::from)?;
    }
    let own = rulebook.exceptions.len();
    for (i, text) in body.exceptions.iter().enumerate().take(EXCEPTIONS + 1) {
        let exception = text.added(format!("{GIVEN}{i}]"));
        rulebook
            .exceptions
            .push(exception.map_err(ServiceError::from)?);
    }
    expect_few(&rulebook.exceptions[own..]).map_err(ServiceError::from)?;
    query.override_policy(&mut rulebook.policy);
    let mut others = Vec::new();
    if let Some(against) = &query.against {
        let Some(resolved) = project else {
            let detail = "`against` needs a stored revision on one side, which determines the \
                          project";
            return Err(Problem::new(Kind::InvalidParameter, detail).about("against"));
        };
        let head_digest = head.resolved().map(|head| head.digest);
        others = service
            .against(&resolved.project, against, head_digest, Some(resolved))
            .await?;
    }
    let sides = base.resolved().zip(head.resolved());
    let permalink = sides.and_then(|(base, head)| permalink(&api, (base, head), &query));
    let part_asked = query.part;
    let request = CompareRequest {
        base,
        head,
        others,
        rulebook,
        format: ReportFormat {
            query,
            filter,
            media,
            permalink,
            root: api.config.public_url.clone(),
        },
    };
    let view = make(&api, request).await?;
    match media {
        Media::Markdown => part(&api, &accept, &view, part_asked).await,
        _ => respond::bytes(&api, &accept, StatusCode::OK, media, view.plain().clone()).await,
    }
}

async fn part(
    api: &Api,
    accept: &Accept,
    view: &View,
    wanted: Option<usize>,
) -> Result<Response, Problem> {
    let parts = view.parts();
    let (count, wanted) = (parts.len(), wanted.unwrap_or(1));
    let Some(&text) = wanted.checked_sub(1).and_then(|at| parts.get(at)) else {
        let detail = format!("the report has {count} parts, so there is no part {wanted}");
        return Err(Problem::new(Kind::UnknownPart, detail).about("part"));
    };
    let text = text.clone();
    let mut response = respond::bytes(api, accept, StatusCode::OK, Media::Markdown, text).await?;
    if let Ok(value) = HeaderValue::from_str(&count.to_string()) {
        response.headers_mut().insert(PARTS, value);
    }
    Ok(response)
}

fn check(query: &CompareQuery, media: Media) -> Result<(), Problem> {
    let bad =
        |name: &str, detail: String| Err(Problem::new(Kind::InvalidParameter, detail).about(name));
    match (query.max_chars, query.part) {
        (Some(max), _) if !(LEAST_MAX_CHARS..=1_000_000).contains(&max) => bad(
            "max_chars",
            format!("`max_chars` is {max}, but must be between {LEAST_MAX_CHARS} and 1000000"),
        ),
        (_, Some(0)) => bad("part", "part numbers start at 1".to_owned()),
        (_, Some(_)) if media != Media::Markdown => bad(
            "part",
            "only the Markdown report has parts; request it with `Accept: text/markdown`"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

pub(crate) fn split<'a>(
    range: &'a str,
    against: Option<&str>,
) -> Result<(Option<&'a str>, &'a str), Problem> {
    let Some((base, head)) = range.split_once("...") else {
        let detail = format!("`{range}` is not a range; write `BASE...HEAD`");
        return Err(Problem::new(Kind::InvalidName, detail).about("range"));
    };
    if base.is_empty() && against.is_some() {
        return Ok((None, head));
    }
    let parsed = (Address::parse(base), Address::parse(head));
    if let (Ok(a), Ok(b)) = &parsed
        && a == b
    {
        return Err(ServiceError::SameRevision(head.to_owned()).into());
    }
    Ok((Some(base), head))
}

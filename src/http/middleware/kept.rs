//! A cache of whole answers by request, looked up before anything else.
//!
//! A cached answer is reused while the database has the mark from before the request
//! ([`opatlas_store::Store::mark`]). Answers about revisions addressed by their whole digests are
//! also reused for a moment without a mark, because revisions are immutable. Changes through this
//! process invalidate all answers at once; a deletion by another process shows after that moment.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use moka::sync::Cache;

use crate::http::Api;
use crate::http::middleware::access::AuthMode;
use crate::http::middleware::metrics::{CacheLooks, RequestTimer, RouteFigures};
use crate::http::middleware::{bounds, envelope};
use opatlas_service::Holds;
use opatlas_store::Mark;

/// How long to reuse an answer without an equal mark. Together with [`opatlas_service::FRESH`], a
/// revision that another process deleted is served for at most two seconds.
const KEPT: Duration = Duration::from_secs(1);

/// In bytes, mostly shared with the cache of views. All operators of a release with their tables,
/// explanations and histories take 36 MB.
const BUDGET: u64 = 40 << 20;

/// The largest cached answer, in bytes: sending a larger one takes long anyway.
const LARGEST: usize = 1 << 20;

/// Estimated size of an answer besides its body, in bytes.
const HEAD: usize = 1 << 10;

/// How long an unused answer stays in memory.
const IDLE: Duration = Duration::from_secs(60);

/// Marks an answer that may be kept. It may depend only on the target, `Accept`, `Accept-Encoding`,
/// stored data and the day.
#[derive(Debug, Clone, Copy)]
pub struct Keepable {
    /// How long the address refers to the same revision.
    pub holds: Holds,
    /// Whether the answer also depends on the day, so that it is cached only for a moment.
    pub is_of_today: bool,
}

/// The cached answers.
#[derive(Debug, Clone)]
pub struct KeptAnswers {
    answers: Cache<Vec<u8>, Arc<Kept>>,
    /// The number of changes so far. Answers from before the last change are not reused.
    changes: Arc<AtomicU64>,
    looks: CacheLooks,
}

#[derive(Debug)]
struct Kept {
    headers: HeaderMap,
    body: Bytes,
    changes: u64,
    mark: Option<Mark>,
    /// Whether it depends only on immutable revisions.
    is_immutable: bool,
    is_of_today: bool,
    at: Instant,
    figures: RouteFigures,
}

impl Default for KeptAnswers {
    fn default() -> Self {
        let weight = |question: &Vec<u8>, kept: &Arc<Kept>| {
            u32::try_from(question.len() + kept.body.len() + HEAD).unwrap_or(u32::MAX)
        };
        let answers = Cache::builder().name("answers").weigher(weight);
        Self {
            answers: answers.max_capacity(BUDGET).time_to_idle(IDLE).build(),
            changes: Arc::default(),
            looks: CacheLooks::of("answers"),
        }
    }
}

impl KeptAnswers {
    /// The number of answers and their estimated size in bytes.
    #[must_use]
    pub fn size(&self) -> (u64, u64) {
        self.answers.run_pending_tasks();
        (self.answers.entry_count(), self.answers.weighted_size())
    }

    fn find(&self, question: &[u8], mark: Option<Mark>) -> Option<Arc<Kept>> {
        let kept = self.answers.get(question).filter(|kept| {
            kept.changes == self.changes.load(Ordering::Acquire) && kept.holds(mark)
        });
        self.looks.count(kept.is_some());
        kept
    }
}

impl Kept {
    /// Whether it is still valid while the database has this mark.
    fn holds(&self, mark: Option<Mark>) -> bool {
        let is_recent = || self.at.elapsed() < KEPT;
        if mark.is_some() && mark == self.mark {
            !self.is_of_today || is_recent()
        } else {
            self.is_immutable && is_recent()
        }
    }
}

/// Counts a change when its request ends, even if the client hangs up first.
struct Changed(Arc<AtomicU64>);

impl Drop for Changed {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// The outermost layer: serves cached answers, and caches new ones.
pub async fn kept(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, Infallible> {
    let answers = &api.kept;
    let Some(question) = question(&api, &request) else {
        let _changed = changes(&request).then(|| Changed(Arc::clone(&answers.changes)));
        return Ok(next.run(request).await);
    };
    let mark = api.service.mark().await;
    if let Some(kept) = answers.find(&question, mark) {
        return Ok(again(&api, &request, &kept));
    }
    let changes = answers.changes.load(Ordering::Acquire);
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    let keepable = response.extensions_mut().remove::<Keepable>();
    let Some(keepable) = keepable.filter(|_| response.status() == StatusCode::OK) else {
        return Ok(response);
    };
    // Results that were read under another mark are not known to last.
    let is_known = match keepable.holds {
        Holds::Always => true,
        Holds::While(then) => mark == Some(then),
        Holds::Now => false,
    };
    if !is_known {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    // It is in memory already, so this only unwraps it.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Ok(Response::from_parts(parts, Body::empty()));
    };
    if body.len() <= LARGEST {
        let mut headers = parts.headers.clone();
        for name in [envelope::REQUEST_ID, bounds::RATE_LIMIT] {
            headers.remove(name);
        }
        let route = route.as_ref().map(MatchedPath::as_str);
        let kept = Kept {
            headers,
            body: body.clone(),
            changes,
            mark,
            is_immutable: keepable.holds == Holds::Always,
            is_of_today: keepable.is_of_today,
            at: Instant::now(),
            figures: RouteFigures::of(&Method::GET, route, StatusCode::OK),
        };
        answers.answers.insert(question, Arc::new(kept));
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// The parts of a request that cacheable answers depend on; `None` for other requests.
fn question(api: &Api, request: &Request) -> Option<Vec<u8>> {
    let headers = request.headers();
    let simple = request.method() == Method::GET
        && !headers.contains_key(header::IF_NONE_MATCH)
        && !headers.contains_key(header::ORIGIN)
        && api.config.auth != AuthMode::All
        // Other layers reject requests for another host.
        && api.config.hosts.expect(request.uri(), headers).is_ok();
    if !simple {
        return None;
    }
    let target = request.uri().path_and_query()?.as_str();
    // Nothing else is marked as keepable.
    if !target.starts_with("/v1/projects/") {
        return None;
    }
    let mut question = Vec::with_capacity(target.len() + 64);
    question.extend_from_slice(target.as_bytes());
    for name in [header::ACCEPT, header::ACCEPT_ENCODING] {
        // No header has a line break in it.
        question.push(b'\n');
        for value in headers.get_all(name) {
            question.extend_from_slice(value.as_bytes());
            question.push(b',');
        }
    }
    Some(question)
}

/// Whether a request may change stored data.
fn changes(request: &Request) -> bool {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    !reads && request.uri().path().starts_with("/v1/projects")
}

/// Sends a cached answer, and counts and logs the request.
fn again(api: &Api, request: &Request, kept: &Kept) -> Response {
    let counting = RequestTimer::begin();
    let id = envelope::request_id(request.headers());
    let mut response = Response::new(Body::from(kept.body.clone()));
    *response.headers_mut() = kept.headers.clone();
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(envelope::REQUEST_ID, value);
    }
    counting.end(&kept.figures);
    if envelope::is_sampled(api.config.log_sample) {
        let span = tracing::info_span!("request", id);
        let _within = span.enter();
        envelope::log(
            request.method(),
            request.uri(),
            response.status(),
            counting.elapsed(),
        );
    }
    response
}

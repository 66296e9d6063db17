//! Metrics for Prometheus.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::http::Api;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Buckets in seconds, from a cached answer to the time limit of a request.
const BUCKETS: [f64; 12] = [
    0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 60.0,
];

/// The interval at which recorded samples are aggregated.
const UPKEEP: Duration = Duration::from_secs(5);

/// The only recorder of the process; `None` if the process already has another one.
fn handle() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let make = || {
        let builder = PrometheusBuilder::new();
        let seconds = Matcher::Suffix("_seconds".to_owned());
        let recorder = builder.set_buckets_for_metric(seconds, &BUCKETS).ok()?;
        let handle = recorder.install_recorder().ok()?;
        describe();
        Some(handle)
    };
    HANDLE.get_or_init(make).as_ref()
}

/// Installs the recorder.
pub fn install() {
    handle();
}

/// Aggregates samples periodically. Without it, memory grows until somebody reads the metrics.
pub async fn keep_up() {
    loop {
        tokio::time::sleep(UPKEEP).await;
        if let Some(handle) = handle() {
            handle.run_upkeep();
        }
    }
}

fn describe() {
    metrics::describe_counter!("opatlas_http_requests_total", "Answered requests.");
    metrics::describe_histogram!(
        "opatlas_http_request_seconds",
        "Time to the head of the answer, in seconds."
    );
    metrics::describe_gauge!("opatlas_http_requests_in_flight", "Requests in progress.");
    metrics::describe_counter!(
        "opatlas_connections_closed_total",
        "Connections that were closed at a limit."
    );
    metrics::describe_counter!("opatlas_ingests_total", "Bundles received, by outcome.");
    metrics::describe_histogram!(
        "opatlas_ingest_seconds",
        "Time to read, check and store a bundle, in seconds."
    );
    metrics::describe_counter!("opatlas_cache_requests_total", "Cache lookups.");
    metrics::describe_gauge!(
        "opatlas_cache_bytes",
        "Estimated memory of a cache, in bytes."
    );
    metrics::describe_gauge!("opatlas_cache_entries", "Entries of a cache.");
    metrics::describe_histogram!(
        "opatlas_database_wait_seconds",
        "Time spent waiting for a connection, and for the lock when writing, in seconds."
    );
    metrics::describe_counter!("opatlas_database_errors_total", "Failed database calls.");
    metrics::describe_gauge!("opatlas_database_up", "Whether the database answers.");
}

/// Counts a request in progress and measures its time.
pub struct RequestTimer(Instant);

impl RequestTimer {
    /// Starts with a request.
    #[must_use]
    pub fn begin() -> Self {
        metrics::gauge!("opatlas_http_requests_in_flight").increment(1.0);
        Self(Instant::now())
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Records the answer.
    pub fn end(&self, figures: &RouteFigures) {
        figures.answered.increment(1);
        figures.seconds.record(self.0.elapsed().as_secs_f64());
    }
}

/// The counters of a method, route and status.
#[derive(Debug)]
pub struct RouteFigures {
    answered: Counter,
    seconds: Histogram,
}

impl RouteFigures {
    /// The counters of these labels. Routes are templates, so there are few.
    #[must_use]
    pub fn of(method: &Method, route: Option<&str>, status: StatusCode) -> Self {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::PUT => "PUT",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            Method::HEAD => "HEAD",
            _ => "other",
        };
        let route = route.map_or_else(|| "none".to_owned(), str::to_owned);
        let code = status.as_str().to_owned();
        let answered = metrics::counter!(
            "opatlas_http_requests_total",
            "method" => method, "route" => route.clone(), "status" => code
        );
        let seconds = metrics::histogram!("opatlas_http_request_seconds", "route" => route);
        Self { answered, seconds }
    }
}

/// Counters of cache hits and misses.
#[derive(Debug, Clone)]
pub struct CacheLooks {
    hits: Counter,
    misses: Counter,
}

impl CacheLooks {
    /// The counters of the cache with this name.
    #[must_use]
    pub fn of(cache: &'static str) -> Self {
        let looks = |outcome| metrics::counter!("opatlas_cache_requests_total", "cache" => cache, "outcome" => outcome);
        Self {
            hits: looks("hit"),
            misses: looks("miss"),
        }
    }

    /// Counts a hit or a miss.
    pub fn count(&self, found: bool) {
        if found {
            self.hits.increment(1)
        } else {
            self.misses.increment(1)
        }
    }
}

impl Drop for RequestTimer {
    fn drop(&mut self) {
        metrics::gauge!("opatlas_http_requests_in_flight").decrement(1.0);
    }
}

/// Metrics
///
/// Metrics of requests, ingests, caches and the database, in Prometheus's text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    operation_id = "metrics",
    responses(
        (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
        (status = 404, description = "Metrics are disabled", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn figures(State(api): State<Api>) -> Result<Response, Problem> {
    let handle = handle()
        .ok_or_else(|| Problem::new(Kind::UnknownRoute, "this process does not keep metrics"))?;
    let up = api.service.reachable().await.is_ok();
    metrics::gauge!("opatlas_database_up").set(f64::from(u8::from(up)));
    let (entries, bytes) = api.kept.size();
    let answers = [("answers", entries, bytes)];
    for (cache, entries, bytes) in api.service.cache_sizes().await.into_iter().chain(answers) {
        #[expect(clippy::cast_precision_loss, reason = "figures are for the eye")]
        let (entries, bytes) = (entries as f64, bytes as f64);
        metrics::gauge!("opatlas_cache_entries", "cache" => cache).set(entries);
        metrics::gauge!("opatlas_cache_bytes", "cache" => cache).set(bytes);
    }
    let mut response = handle.render().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, TEXT);
    Ok(response)
}

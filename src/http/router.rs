//! The list of all routes.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, header};
use axum::middleware;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::Api;
use crate::http::ApiConfig;
use crate::http::describe;
use crate::http::middleware::access::guard;
use crate::http::middleware::bounds;
use crate::http::middleware::bounds::Bounds;
use crate::http::middleware::envelope;
use crate::http::middleware::hosts;
use crate::http::middleware::json_rpc;
use crate::http::middleware::kept;
use crate::http::middleware::metrics;
use crate::http::middleware::parameters::{Parameters, expect_known};
use crate::http::middleware::repeats;
use crate::http::negotiate::Accept;
use crate::http::routes::access;
use crate::http::routes::ask;
use crate::http::routes::backends;
use crate::http::routes::badges;
use crate::http::routes::calls;
use crate::http::routes::cards;
use crate::http::routes::compare;
use crate::http::routes::compare_schemas;
use crate::http::routes::coverage;
use crate::http::routes::dispatch;
use crate::http::routes::drift;
use crate::http::routes::exceptions;
use crate::http::routes::files;
use crate::http::routes::findings;
use crate::http::routes::gaps;
use crate::http::routes::history;
use crate::http::routes::keys;
use crate::http::routes::labels;
use crate::http::routes::matrix;
use crate::http::routes::operations;
use crate::http::routes::operators;
use crate::http::routes::overlay;
use crate::http::routes::preflight;
use crate::http::routes::probe;
use crate::http::routes::probe_runs;
use crate::http::routes::problems;
use crate::http::routes::projects;
use crate::http::routes::releases;
use crate::http::routes::revisions;
use crate::http::routes::rules;
use crate::http::routes::schemas;
use crate::http::routes::search;
use crate::http::routes::signatures;
use crate::http::routes::stateless;
use crate::http::routes::support;
use crate::http::routes::tables;
use crate::http::routes::timeline;
use crate::http::routes::topics;
use crate::http::routes::trends;
use crate::http::routes::watch;
use crate::http::routes::way_gaps;
use crate::http::routes::ways;
use crate::mcp;
use crate::web;
use opatlas_service::Service;

fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::with_openapi(describe::Description::openapi())
        // Projects and their contents.
        .routes(routes!(projects::list, projects::create))
        .routes(routes!(projects::one, projects::update, projects::delete))
        .routes(routes!(revisions::list, revisions::ingest))
        .routes(routes!(revisions::one, revisions::delete))
        .routes(routes!(files::one))
        .routes(routes!(files::backend))
        .routes(routes!(labels::list))
        .routes(routes!(labels::one, labels::set, labels::delete))
        .routes(routes!(operators::list))
        .routes(routes!(operators::one))
        .routes(routes!(tables::one))
        .routes(routes!(cards::one))
        .routes(routes!(signatures::list))
        .routes(routes!(signatures::one))
        .routes(routes!(calls::one))
        .routes(routes!(keys::list))
        .routes(routes!(keys::one))
        .routes(routes!(coverage::coverage))
        .routes(routes!(matrix::matrix))
        .routes(routes!(ways::list))
        .routes(routes!(ways::one))
        .routes(routes!(ways::of_one))
        .routes(routes!(findings::list))
        .routes(routes!(overlay::validate))
        .routes(routes!(compare::stored, backends::given))
        .routes(routes!(backends::stored))
        // All revisions of a project.
        .routes(routes!(history::operator))
        .routes(routes!(search::search))
        .routes(routes!(timeline::list))
        .routes(routes!(watch::commits))
        .routes(routes!(support::table))
        .routes(routes!(badges::one))
        .routes(routes!(trends::trends))
        .routes(routes!(gaps::stored, gaps::ranked))
        .routes(routes!(way_gaps::of_way))
        .routes(routes!(exceptions::list, exceptions::create))
        .routes(routes!(
            exceptions::one,
            exceptions::extend,
            exceptions::delete
        ))
        // The probe.
        .routes(routes!(probe_runs::list, probe::open))
        .routes(routes!(probe::progress))
        .routes(routes!(probe::results))
        .routes(routes!(probe_runs::verdicts))
        .routes(routes!(probe::lease))
        .routes(routes!(probe::renew))
        .routes(routes!(probe::release))
        .routes(routes!(probe::finish))
        .routes(routes!(probe::tables))
        .routes(routes!(drift::list))
        .routes(routes!(drift::one))
        .routes(routes!(drift::drift))
        // Texts that are not stored.
        .routes(routes!(stateless::validate))
        .routes(routes!(stateless::parse))
        .routes(routes!(signatures::posted))
        .routes(routes!(schemas::parse))
        .routes(routes!(compare_schemas::compare))
        .routes(routes!(compare::given))
        .routes(routes!(dispatch::calculate))
        .routes(routes!(ask::ask_text))
        .routes(routes!(preflight::preflight))
        // Reference data of the program.
        .routes(routes!(releases::list))
        .routes(routes!(releases::one))
        .routes(routes!(rules::list))
        .routes(routes!(rules::one))
        .routes(routes!(topics::list))
        .routes(routes!(topics::one))
        .routes(routes!(problems::one))
        // The service itself.
        .routes(routes!(operations::health))
        .routes(routes!(operations::readiness))
        .routes(routes!(operations::version))
        .routes(routes!(access::rights))
        .routes(routes!(metrics::figures))
        .routes(routes!(operations::document))
}

/// The HTTP application of a service.
pub fn app(service: Arc<Service>, config: ApiConfig) -> Router {
    app_of(router(), service, config)
}

/// All routes without their state. Building them takes longer than opening a database, so callers
/// do both at the same time.
pub fn router() -> Router<Api> {
    let (router, document) = routes().split_for_parts();
    let known = Arc::new(Parameters::of(&document));
    router.route_layer(middleware::from_fn_with_state(known, expect_known))
}

/// Adds the state of [`app`] to the routes of [`router`].
pub fn app_of(router: Router<Api>, service: Arc<Service>, config: ApiConfig) -> Router {
    metrics::install();
    let api = Api {
        service,
        config: Arc::new(config),
        kept: Arc::default(),
    };
    let guard = middleware::from_fn_with_state(api.clone(), guard);
    let bounded = middleware::from_fn_with_state(Bounds::of(&api), bounds::bounded);
    let served = middleware::from_fn_with_state(Arc::clone(&api.config), hosts::expect_host);
    let surround = middleware::from_fn_with_state(Arc::clone(&api.config), envelope::envelope);
    let once = middleware::from_fn_with_state(api.clone(), repeats::once);
    let router = router.route_layer(once).route_layer(guard);
    // The tools answer through the routes. The bounds around them already apply to the call.
    let answers = router.clone().layer(surround.clone());
    let answers = answers.with_state(api.clone());
    let malformed = middleware::from_fn_with_state(api.clone(), json_rpc::answer);
    let tools = Router::new().route_service(mcp::PATH, mcp::over_http(answers.clone()));
    let tools = tools.route_layer(malformed);
    let pages = move |api: State<Api>, accept: Accept, request: Request| {
        web::fallback(answers.clone(), api, accept, request)
    };
    let router = router
        .merge(tools)
        .fallback(pages)
        .layer(CatchPanicLayer::custom(envelope::panicked))
        .layer(DefaultBodyLimit::disable())
        .layer(bounded)
        .layer(served)
        .layer(surround);
    let keep = middleware::from_fn_with_state(api.clone(), kept::kept);
    let router = if api.config.cors_origins.is_empty() {
        router
    } else {
        router.layer(other_sites(&api.config.cors_origins))
    };
    router.layer(keep).with_state(api)
}

fn other_sites(origins: &[String]) -> CorsLayer {
    let origins: Vec<_> = origins
        .iter()
        .filter_map(|origin| origin.parse().ok())
        .collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            header::ACCEPT,
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            repeats::KEY,
        ])
        .expose_headers([
            header::ETAG,
            header::LINK,
            header::LOCATION,
            header::RETRY_AFTER,
            bounds::RATE_LIMIT,
            bounds::RATE_LIMIT_POLICY,
            envelope::REQUEST_ID,
            repeats::REPLAYED,
            compare::PARTS,
        ])
        .max_age(Duration::from_secs(3600))
}

/// The complete API description.
#[must_use]
pub fn openapi() -> OpenApi {
    let (_, mut document) = routes().split_for_parts();
    describe::complete(&mut document);
    document
}

//! The one page of routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::service::Service;

use super::{Api, ApiConfig, describe, envelope};
use super::{
    coverage, dispatch, files, findings, keys, labels, operations, operators, problems, projects,
    releases, revisions, rules, schemas, stateless, tables,
};

/// Every route. Whoever adds one adds it here.
fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::with_openapi(describe::Description::openapi())
        // Projects and what is in them.
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
        .routes(routes!(keys::list))
        .routes(routes!(keys::one))
        .routes(routes!(coverage::coverage))
        .routes(routes!(findings::list))
        // Of texts that are not stored.
        .routes(routes!(stateless::validate))
        .routes(routes!(stateless::parse))
        .routes(routes!(schemas::parse))
        .routes(routes!(dispatch::calculate))
        // What the program knows.
        .routes(routes!(releases::list))
        .routes(routes!(releases::one))
        .routes(routes!(rules::list))
        .routes(routes!(rules::one))
        .routes(routes!(problems::one))
        // The service itself.
        .routes(routes!(operations::health))
        .routes(routes!(operations::readiness))
        .routes(routes!(operations::version))
        .routes(routes!(operations::document))
}

/// The whole HTTP side over a service.
pub fn app(service: Arc<Service>, config: ApiConfig) -> Router {
    let (router, _) = routes().split_for_parts();
    // On the fly only what is not kept compressed: lists that are streamed.
    let compression = CompressionLayer::new().compress_when(SizeAbove::new(1024));
    let surround = middleware::from_fn_with_state(config.clone(), envelope::envelope);
    router
        .fallback(envelope::unknown_route)
        .layer(CatchPanicLayer::custom(envelope::panicked))
        .layer(DefaultBodyLimit::disable())
        .layer(compression)
        .layer(surround)
        .with_state(Api { service, config })
}

/// The description of the whole HTTP side.
#[must_use]
pub fn openapi() -> OpenApi {
    let (_, mut document) = routes().split_for_parts();
    describe::complete(&mut document);
    document
}

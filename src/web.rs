//! The user interface: the files that `web/` builds, served from the binary.
//!
//! Every view has its own path, so page requests without another route get the page, which reads
//! the path. The policy permits scripts, styles and data of this server only, and nothing inline.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;

use crate::http::Api;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::{View, ViewId};
use opatlas_wire::problem::{Kind, Problem};

#[derive(RustEmbed)]
#[folder = "web/dist/"]
#[allow_missing = true]
struct Built;

const NOT_BUILT: &str = "<!doctype html><html lang=en><title>Opatlas</title><p>This build has no \
                         user interface: run `make web`, then `cargo build` again. The API works: \
                         see <a href=\"/openapi.json\">/openapi.json</a>.\n";

const PAGE: &str = "index.html";
/// The files whose names carry their digests, and so never change.
const HASHED: &str = "assets/";

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REFERRER_POLICY: HeaderValue = HeaderValue::from_static("same-origin");
const OPENER_POLICY: HeaderValue = HeaderValue::from_static("same-origin");

struct Asset {
    id: ViewId,
    media: Media,
    hashed: bool,
    view: Arc<View>,
}

static ASSETS: LazyLock<HashMap<String, Asset>> = LazyLock::new(|| {
    let shown = Built::iter().filter(|name| !name.starts_with('.'));
    let built = shown.filter_map(|name| {
        let file = Built::get(&name)?;
        Some((name.to_string(), Asset::new(&name, file.data.into_owned())))
    });
    let mut assets: HashMap<_, _> = built.collect();
    assets
        .entry(PAGE.to_owned())
        .or_insert_with(|| Asset::new(PAGE, NOT_BUILT.into()));
    assets
});

impl Asset {
    fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            id: ViewId::of_bytes(&bytes),
            media: media(name),
            hashed: name.starts_with(HASHED),
            view: Arc::new(View::new(bytes.into())),
        }
    }
}

fn media(name: &str) -> Media {
    match name.rsplit_once('.').map_or("", |(_, suffix)| suffix) {
        "html" => Media::Html,
        "js" => Media::JavaScript,
        "css" => Media::Css,
        "svg" => Media::Svg,
        "json" => Media::Json,
        _ => Media::Text,
    }
}

/// Handles paths without a route: a file of the interface, its page if a browser requests a page,
/// or else the problem of an unknown route.
pub async fn fallback(
    State(api): State<Api>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let unknown = || Problem::new(Kind::UnknownRoute, "");
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(unknown());
    }
    let path = request.uri().path().trim_start_matches('/');
    let asset = match ASSETS.get(path) {
        Some(asset) => asset,
        None if is_page(path, &accept) => ASSETS.get(PAGE).ok_or_else(unknown)?,
        None => return Err(unknown()),
    };
    answer(&api, &accept, asset).await
}

/// Whether a browser that requests this path should get a view of the interface.
fn is_page(path: &str, accept: &Accept) -> bool {
    let of_program = ["v1", "problems", "assets", "healthz", "readyz", "metrics"];
    let first = path.split('/').next().unwrap_or_default();
    path.is_empty() || (!of_program.contains(&first) && accept.names(Media::Html))
}

async fn answer(api: &Api, accept: &Accept, asset: &Asset) -> Result<Response, Problem> {
    let mut response = match respond::not_modified(accept, asset.id) {
        Some(response) => response,
        None => {
            let service = &api.service;
            respond::encoded(service, accept, asset.id, asset.media, &asset.view).await?
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, REFERRER_POLICY);
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        OPENER_POLICY,
    );
    if asset.hashed {
        headers.insert(header::CACHE_CONTROL, IMMUTABLE);
    }
    Ok(response.into_response())
}

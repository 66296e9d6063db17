//! The user interface: the files that `web/` builds, served from the binary.
//!
//! Every view has its own path. Its page is one file with a head of its own ([`about`]); the scripts read
//! the path. The policy permits scripts, styles and data of this server only, and nothing inline.

mod about;
mod address;
mod head;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;

use crate::http::Api;
use crate::http::middleware::envelope::AsIs;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::web::about::About;
use crate::web::address::Page;
use crate::web::head::with_head;
use opatlas_service::{View, ViewId};
use opatlas_wire::problem::{Kind, Problem};

#[derive(RustEmbed)]
#[folder = "web/dist/"]
#[allow_missing = true]
struct Built;

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Opatlas</title><p>This build has no \
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
    built.collect()
});

/// The page without a head of its own.
static SHELL: LazyLock<String> = LazyLock::new(|| {
    let built = Built::get(PAGE).and_then(|file| String::from_utf8(file.data.into_owned()).ok());
    built.unwrap_or_else(|| NOT_BUILT.to_owned())
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

/// Handles paths without a route: a file of the interface, a page, or else the problem of an unknown
/// route. A page that does not exist is a page with status 404. `answers` is the API without a state.
pub async fn fallback(
    answers: Router,
    State(api): State<Api>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let unknown = || Problem::new(Kind::UnknownRoute, "");
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(unknown());
    }
    let path = request.uri().path().trim_start_matches('/');
    if let Some(asset) = ASSETS.get(path) {
        return answer(&api, &accept, asset).await;
    }
    let about = match Page::at(path) {
        Some(page) => About::page(&answers, &page).await,
        None if is_browsed(path, &accept) => About::missing(),
        None => return Err(unknown()),
    };
    page(&api, &accept, &about).await
}

/// Whether a browser requests this path for a person to read.
fn is_browsed(path: &str, accept: &Accept) -> bool {
    let of_program = ["v1", "problems", "assets", "healthz", "readyz", "metrics"];
    let first = path.split('/').next().unwrap_or_default();
    !of_program.contains(&first) && accept.names(Media::Html)
}

async fn page(api: &Api, accept: &Accept, about: &About) -> Result<Response, Problem> {
    let html = with_head(&SHELL, about, api.config.public_url.as_deref());
    let status = match about.exists {
        true => StatusCode::OK,
        false => StatusCode::NOT_FOUND,
    };
    let html = api.service.hold(html.into_bytes())?;
    let mut response = respond::bytes(api, accept, status, Media::Html, html).await?;
    response.extensions_mut().insert(AsIs);
    protect(response.headers_mut());
    Ok(response)
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
    protect(headers);
    if asset.hashed {
        headers.insert(header::CACHE_CONTROL, IMMUTABLE);
    }
    Ok(response.into_response())
}

fn protect(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, REFERRER_POLICY);
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        OPENER_POLICY,
    );
}

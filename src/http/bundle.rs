//! Bundles in request bodies: raw YAML, JSON, or multipart.

use axum::extract::{FromRequest, Multipart, Request};
use bytes::Bytes;
use opatlas_source::Bundle;
use serde::de::DeserializeOwned;

use crate::http::Api;
use crate::http::body;
use crate::http::extract::{from_json_object, malformed, parsed};
use opatlas_service::{Limits, Refusal};
use opatlas_wire::bundle::{BundleJson, insert, text_bytes};
use opatlas_wire::problem::{Kind, Problem};

const YAML: [&str; 6] = [
    body::BYTES,
    "application/yaml",
    "application/x-yaml",
    "text/yaml",
    "text/x-yaml",
    "text/vnd.yaml",
];

const TOLD: [&str; 3] = [
    "application/yaml",
    "application/json",
    "multipart/form-data",
];

/// A bundle in the body: `native_functions.yaml` as `application/yaml`, a [`BundleJson`], or
/// `multipart/form-data` with one part for each file.
#[derive(Debug)]
pub struct BundleBody(pub Bundle);

/// Without file texts, in bytes. Parsed values take many times the memory of their JSON.
const LARGEST_REST: usize = 1 << 20;

impl FromRequest<Api> for BundleBody {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let media = body::media(request.headers());
        let bundle = match media.as_deref() {
            Some(media) if YAML.contains(&media) => yaml(request, api).await?,
            Some("application/json") => json::<BundleJson>(request, api).await?.files.bundle()?,
            Some("multipart/form-data") => multipart(request, api).await?,
            media => return Err(body::unsupported(media, &TOLD)),
        };
        api.service.admit(&bundle)?;
        Ok(Self(bundle))
    }
}

/// Entries of `native_functions.yaml` in the body, as `application/yaml`.
#[derive(Debug)]
pub struct EntriesBody(pub Bytes);

impl FromRequest<Api> for EntriesBody {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        body::expect_media(request.headers(), &YAML)?;
        let limit = api.service.limits().file_bytes;
        Ok(Self(body::collect(request, api, limit).await?))
    }
}

/// Reads a JSON body that contains files. Fails as [`body::collect`] and [`from_json_object`] do,
/// or with [`Kind::TooLarge`] if more than 1 MiB of it is not file texts.
pub async fn json<T: DeserializeOwned + Send + 'static>(
    request: Request,
    api: &Api,
) -> Result<T, Problem> {
    let body = body::collect(request, api, api.config.json_bytes).await?;
    let size = body.len();
    let read = move || {
        expect_small_rest(&body)?;
        from_json_object(&body)
    };
    parsed(api, size, read).await
}

fn expect_small_rest(body: &[u8]) -> Result<(), Problem> {
    // A smaller body is not checked, so that its error comes from its own type.
    if body.len() <= LARGEST_REST {
        return Ok(());
    }
    let texts = text_bytes(body).map_err(|error| malformed(&error))?;
    if body.len() - texts > LARGEST_REST {
        Err(Problem::new(
            Kind::TooLarge,
            format!("the body has more than {LARGEST_REST} bytes besides the texts of files"),
        ))
    } else {
        Ok(())
    }
}

async fn yaml(request: Request, api: &Api) -> Result<Bundle, Problem> {
    let limit = api.service.limits().file_bytes;
    let bytes = body::collect(request, api, limit).await?;
    Ok(Bundle::of_native_functions(&*bytes))
}

async fn multipart(request: Request, api: &Api) -> Result<Bundle, Problem> {
    let mut bundle = Bundle::default();
    let largest = api.service.limits().file_bytes;
    for (name, bytes) in parts(request, api, largest, file_name).await? {
        insert(&mut bundle, &name, bytes)?;
    }
    Ok(bundle)
}

/// The parts of a `multipart/form-data` body with their names, each at most `largest` bytes. Reads them
/// one by one, so that limits apply before everything is in memory.
pub async fn parts(
    request: Request,
    api: &Api,
    largest: usize,
    name: impl Fn(Option<&str>, Option<&str>) -> Result<String, Refusal>,
) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    body::expect_plain(request.headers())?;
    let limits = api.service.limits();
    let limit = limits.bundle_bytes + api.config.multipart_overhead;
    body::expect_length(request.headers(), limit)?;
    let (parts, body) = request.into_parts();
    let limited = axum::body::Body::new(http_body_util::Limited::new(body, limit));
    let request = Request::from_parts(parts, limited);
    let read = async {
        let mut fields = Multipart::from_request(request, api)
            .await
            .map_err(|error| Problem::new(Kind::MalformedBody, error.body_text()))?;
        let (mut parts, mut before) = (Vec::new(), 0);
        loop {
            let next = fields.next_field().await;
            let Some(mut field) = next.map_err(|error| broken(&error, limit))? else {
                return Ok(parts);
            };
            if parts.len() == limits.files {
                return Err(Refusal::Files {
                    limit: limits.files,
                }
                .into());
            }
            let name = name(field.name(), field.file_name())?;
            let mut bytes = Vec::new();
            loop {
                let chunk: Option<Bytes> =
                    field.chunk().await.map_err(|error| broken(&error, limit))?;
                let Some(chunk) = chunk else { break };
                bytes.extend_from_slice(&chunk);
                expect_room((limits, largest), &name, bytes.len(), before)?;
            }
            before += bytes.len();
            parts.push((name, bytes));
        }
    };
    match tokio::time::timeout(api.config.body_timeout, read).await {
        Ok(parts) => parts,
        Err(_) => Err(body::late(api)),
    }
}

fn broken(error: &axum::extract::multipart::MultipartError, limit: usize) -> Problem {
    let problem = body::broken(error, limit);
    match problem.kind {
        Kind::TooLarge => problem,
        _ => Problem::new(
            Kind::MalformedBody,
            format!("the body is not multipart/form-data: {}", error.body_text()),
        ),
    }
}

/// The name of a part's file: the name of the part, or else the file name that was sent.
fn file_name(part: Option<&str>, file: Option<&str>) -> Result<String, Refusal> {
    let known = |name: &&str| Bundle::is_file_name(name);
    match part.filter(known).or_else(|| file.filter(known)) {
        Some(name) => Ok(name.to_owned()),
        None => {
            let name = file.or(part).unwrap_or_default();
            Err(Refusal::of_name(name))
        }
    }
}

fn expect_room(
    (limits, largest): (&Limits, usize),
    name: &str,
    bytes: usize,
    before: usize,
) -> Result<(), Refusal> {
    if bytes > largest {
        return Err(Refusal::FileSize {
            name: name.to_owned(),
            limit: largest,
        });
    }
    if before + bytes > limits.bundle_bytes {
        Err(Refusal::BundleSize {
            limit: limits.bundle_bytes,
        })
    } else {
        Ok(())
    }
}

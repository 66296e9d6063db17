//! Explains error messages.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_ask::{MOST_BYTES, ask, is_python};
use opatlas_report::ask as report;

use crate::http::Api;
use crate::http::body;
use crate::http::body::BYTES;
use crate::http::extract::Json;
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::Snapshot;
use opatlas_store::ProjectName;
use opatlas_wire::ask::{AskAnswer, AskedText};
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

const MEDIA: &[Media] = &[Media::Json, Media::Markdown, Media::Text];

/// The project whose declarations choose the overloads of a call in Python.
const PROJECT: &str = "pytorch";

/// Its newest release, if there is one that the caller may see.
async fn declarations(api: &Api, access: &Access) -> Option<Arc<Snapshot>> {
    let project = ProjectName::parse(PROJECT).ok()?;
    if !access.sees(&project) {
        return None;
    }
    let newest = api.service.resolve(PROJECT, "latest", None).await.ok()?;
    api.service.snapshot(&newest).await.ok()
}

/// A text to explain: JSON, or plain text.
#[derive(Debug)]
pub struct Asked(String);

impl FromRequest<Api> for Asked {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let media = body::media(request.headers());
        match media.as_deref() {
            Some("text/plain" | BYTES) => {
                let bytes = body::collect(request, api, MOST_BYTES).await?;
                let text = String::from_utf8(bytes.into());
                let text =
                    text.map_err(|_| Problem::new(Kind::MalformedBody, "the body is not UTF-8"));
                Ok(Self(text?))
            }
            Some("application/json") => {
                let Json(AskedText { text }) = Json::from_request(request, api).await?;
                Ok(Self(text))
            }
            media => Err(body::unsupported(
                media,
                &["application/json", "text/plain", BYTES],
            )),
        }
    }
}

/// Explain an error message or a call
///
/// What a message of PyTorch means, why it appears, since when and until when, and what to do. The
/// text may be a whole log; the last error in it counts. Of a line of Python, the operators that it
/// reaches and where they work; the newest release of the project `pytorch` chooses overloads. Nothing is stored. The kind is `unknown` if
/// Opatlas does not know the message.
#[utoipa::path(
    post,
    path = "/v1/ask",
    tag = "stateless",
    operation_id = "ask",
    request_body(
        description = "The text, at most 256 KiB. It is accepted as `text/plain`, too",
        content = AskedText,
    ),
    responses(
        (status = 200, description = "The answer", content(
            (AskAnswer = "application/json"),
            (String = "text/markdown"),
            (String = "text/plain"),
        )),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Neither JSON nor plain text", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn ask_text(
    State(api): State<Api>,
    access: Access,
    accept: Accept,
    Asked(text): Asked,
) -> Result<Response, Problem> {
    let media = accept.media(MEDIA)?;
    let snapshot = match is_python(&text) {
        true => declarations(&api, &access).await,
        false => None,
    };
    let make = move || {
        let catalogue = snapshot.as_ref().map(|snapshot| &snapshot.catalogue);
        let answer =
            ask(&text, catalogue).map_err(|long| Problem::new(Kind::TooLarge, long.to_string()))?;
        Ok::<_, Problem>(match media {
            Media::Markdown => report::markdown(&answer, &text).into_bytes(),
            Media::Text => report::text(&answer, &text).into_bytes(),
            _ => json(&AskAnswer::new(&answer, &text)),
        })
    };
    let bytes = api.service.make(move |_| make()).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

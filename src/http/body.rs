//! Reads request bodies within limits.

use std::error::Error;

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::http::Api;
use crate::http::middleware::bounds::OverBudget;
use opatlas_wire::problem::{Kind, Problem};

/// The media type of any file. Generated clients send YAML, CSV and text with it.
pub const BYTES: &str = "application/octet-stream";

/// The whole body, at most `limit` bytes. Fails with a problem if it is larger, compressed, breaks
/// off, or does not arrive in time.
pub async fn collect(request: Request, api: &Api, limit: usize) -> Result<Bytes, Problem> {
    expect_plain(request.headers())?;
    expect_length(request.headers(), limit)?;
    let mut body = Limited::new(request.into_body(), limit);
    let read = async {
        // Copied, because a small frame can keep a large buffer of its connection alive.
        let mut whole = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| broken(&*error, limit))?;
            if let Some(piece) = frame.data_ref() {
                whole.extend_from_slice(piece);
            }
        }
        Ok(whole.into())
    };
    match tokio::time::timeout(api.config.body_timeout, read).await {
        Ok(read) => read,
        Err(_) => Err(late(api)),
    }
}

/// The problem of a body that did not arrive in time.
pub fn late(api: &Api) -> Problem {
    let seconds = api.config.body_timeout.as_secs();
    Problem::new(
        Kind::RequestTimeout,
        format!("the body did not arrive within {seconds} s"),
    )
}

/// Rejects a body by its `Content-Length`, before it is sent. Fails with [`Kind::TooLarge`].
pub fn expect_length(headers: &HeaderMap, limit: usize) -> Result<(), Problem> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    match length {
        Some(length) if length > limit as u64 => Err(too_large(limit)),
        _ => Ok(()),
    }
}

/// Rejects compressed bodies, because limits count the bytes read.
pub fn expect_plain(headers: &HeaderMap) -> Result<(), Problem> {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let is_plain = |coding: &[u8]| {
        let coding = coding.trim_ascii();
        coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
    };
    if codings.all(is_plain) {
        Ok(())
    } else {
        Err(Problem::new(
            Kind::UnsupportedMediaType,
            "the server does not accept compressed bodies; send it without `Content-Encoding`",
        ))
    }
}

/// The media type of the body in lower case, parameters cut off.
pub fn media(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = text.split(';').next().unwrap_or(text);
    Some(essence.trim().to_ascii_lowercase())
}

/// Rejects all but these media types. Fails with [`Kind::UnsupportedMediaType`].
pub fn expect_media(headers: &HeaderMap, allowed: &[&str]) -> Result<(), Problem> {
    match media(headers) {
        Some(media) if allowed.contains(&&*media) => Ok(()),
        media => Err(unsupported(media.as_deref(), allowed)),
    }
}

/// The problem of an unsupported media type.
pub fn unsupported(media: Option<&str>, allowed: &[&str]) -> Problem {
    let allowed: Vec<_> = allowed.iter().map(|media| format!("`{media}`")).collect();
    let got = match media {
        Some(media) => format!("not `{}`", media.chars().take(100).collect::<String>()),
        None => "but the request has no `Content-Type`".to_owned(),
    };
    Problem::new(
        Kind::UnsupportedMediaType,
        format!("the body must be {}, {got}", allowed.join(", ")),
    )
}

/// The problem of a body larger than this.
pub fn too_large(limit: usize) -> Problem {
    Problem::new(Kind::TooLarge, format!("the body exceeds {limit} bytes"))
}

/// The problem of a body that cannot be read.
pub fn broken(error: &(dyn Error + 'static), limit: usize) -> Problem {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return too_large(limit);
        }
        if let Some(over) = error.downcast_ref::<OverBudget>() {
            return Problem::new(Kind::Busy, over.to_string());
        }
        cause = error.source();
    }
    Problem::new(
        Kind::MalformedBody,
        "the connection closed before the end of the body",
    )
}

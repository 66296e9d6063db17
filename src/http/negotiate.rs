//! Content negotiation: media type and encoding (RFC 9110 section 12.5).

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, header};

use opatlas_service::Encoding;
use opatlas_wire::problem::{Kind, Problem};

/// The media types that answers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Media {
    /// One JSON value.
    Json,
    /// One JSON value a line.
    NdJson,
    /// A file.
    Yaml,
    /// The bytes of a file.
    Bytes,
    /// SARIF 2.1.0
    Sarif,
    /// Markdown, for comments.
    Markdown,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Text with snippets, for terminals.
    Text,
    /// JUnit's XML.
    JUnit,
    /// A feed (RFC 4287).
    Atom,
    /// A page for browsers.
    Html,
    /// A script of the user interface.
    JavaScript,
    /// A style sheet of the user interface.
    Css,
    /// A drawing: a badge, or one of the user interface.
    Svg,
}

/// Answers in one format.
pub const JSON: &[Media] = &[Media::Json];

/// Lists.
pub const LIST: &[Media] = &[Media::Json, Media::NdJson];

/// Lists that are also available as CSV.
pub const SHEET: &[Media] = &[Media::Json, Media::NdJson, Media::Csv];

impl Media {
    /// The media type.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::NdJson => "application/x-ndjson",
            Self::Yaml => "application/yaml",
            Self::Bytes => "application/octet-stream",
            Self::Sarif => "application/sarif+json",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
            Self::JUnit => "application/xml",
            Self::Atom => "application/atom+xml",
            Self::Html => "text/html; charset=utf-8",
            Self::JavaScript => "text/javascript; charset=utf-8",
            Self::Css => "text/css; charset=utf-8",
            Self::Svg => "image/svg+xml",
        }
    }
}

/// The parts of a request's headers that select the answer.
#[derive(Debug, Clone)]
pub struct Accept {
    accept: Option<String>,
    /// The encoding to send.
    pub encoding: Encoding,
    /// `If-None-Match`.
    pub if_none_match: Option<String>,
}

impl Media {
    /// The media type without its parameters.
    #[must_use]
    pub fn essence(self) -> &'static str {
        let media = self.as_str();
        media.split(';').next().unwrap_or(media)
    }
}

impl Accept {
    /// Reads the headers.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            accept: joined(headers, &header::ACCEPT),
            encoding: encoding(joined(headers, &header::ACCEPT_ENCODING).as_deref()),
            if_none_match: joined(headers, &header::IF_NONE_MATCH),
        }
    }

    /// Whether the client names this media type, as browsers do for pages.
    #[must_use]
    pub fn names(&self, media: Media) -> bool {
        let accept = self.accept.as_deref().unwrap_or_default();
        items(accept)
            .any(|(range, quality)| quality > 0.0 && range.eq_ignore_ascii_case(media.essence()))
    }

    /// The client's preferred media type of those offered; the first one without a preference.
    /// Fails with [`Kind::NotAcceptable`].
    pub fn media(&self, offered: &[Media]) -> Result<Media, Problem> {
        let Some(accept) = self.accept.as_deref() else {
            return Ok(offered[0]);
        };
        let mut best: Option<(f32, Media)> = None;
        for &media in offered {
            let quality = quality(accept, media.essence());
            if quality > 0.0 && best.is_none_or(|(q, _)| quality > q) {
                best = Some((quality, media));
            }
        }
        best.map(|(_, media)| media).ok_or_else(|| {
            let offered: Vec<_> = offered
                .iter()
                .map(|m| format!("`{}`", m.as_str()))
                .collect();
            Problem::new(
                Kind::NotAcceptable,
                format!("this route answers with {}", offered.join(" or ")),
            )
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Accept {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let mut accept = Self::of(&parts.headers);
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            // For other methods it is a precondition of the change.
            accept.if_none_match = None;
        }
        Ok(accept)
    }
}

/// All values of a header as one list.
pub fn joined(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let values: Vec<&str> = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The quality of a media type in an `Accept` list: that of its most specific match.
fn quality(accept: &str, media: &str) -> f32 {
    let kind = media.split('/').next().unwrap_or(media);
    let mut best = (0, 0.0);
    for (range, quality) in items(accept) {
        let precision = match range.split_once('/') {
            _ if range.eq_ignore_ascii_case(media) => 3,
            Some((k, "*")) if k.eq_ignore_ascii_case(kind) => 2,
            Some(("*", "*")) => 1,
            _ => continue,
        };
        if precision > best.0 {
            best = (precision, quality);
        }
    }
    best.1
}

/// The preferred encoding of those available, Zstandard before gzip.
fn encoding(accept: Option<&str>) -> Encoding {
    let Some(accept) = accept else {
        return Encoding::Plain;
    };
    let quality = |name: &str| {
        let own = items(accept).find(|(coding, _)| coding.eq_ignore_ascii_case(name));
        let any = || items(accept).find(|&(coding, _)| coding == "*");
        own.or_else(any).map_or(0.0, |(_, quality)| quality)
    };
    let (zstd, gzip) = (quality("zstd"), quality("gzip"));
    if zstd > 0.0 && zstd >= gzip {
        Encoding::Zstd
    } else if gzip > 0.0 {
        Encoding::Gzip
    } else {
        Encoding::Plain
    }
}

fn items(list: &str) -> impl Iterator<Item = (&str, f32)> {
    list.split(',').map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            key.trim().eq_ignore_ascii_case("q").then_some(value.trim())
        });
        let quality = quality.map_or(1.0, |q| q.parse().unwrap_or(0.0));
        (name, quality)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> Accept {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        Accept::of(&headers)
    }

    #[test]
    fn media_types_by_liking() {
        for (accept, expected) in [
            ("*/*", Some(Media::Json)),
            ("application/x-ndjson", Some(Media::NdJson)),
            (
                "application/*;q=0.5, application/x-ndjson",
                Some(Media::NdJson),
            ),
            ("application/json, application/x-ndjson", Some(Media::Json)),
            ("application/json;q=0, */*", Some(Media::NdJson)),
            ("text/html", None),
            ("text/html, */*;q=0.1", Some(Media::Json)),
            (";;;", None),
        ] {
            let media = headers(header::ACCEPT, accept).media(LIST).ok();
            assert_eq!(media, expected, "{accept}");
        }
    }

    #[test]
    fn encodings_by_liking() {
        for (accept, expected) in [
            ("gzip, deflate, br, zstd", Encoding::Zstd),
            ("gzip", Encoding::Gzip),
            ("gzip;q=1, zstd;q=0.5", Encoding::Gzip),
            ("identity", Encoding::Plain),
            ("*;q=0", Encoding::Plain),
            ("gzip;q=0, *", Encoding::Zstd),
        ] {
            let read = headers(header::ACCEPT_ENCODING, accept);
            assert_eq!(read.encoding, expected, "{accept}");
        }
    }
}

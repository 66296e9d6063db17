//! HTTP requests, one at a time, on a blocking thread.

use std::fmt;
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use ureq::http::{Method, Request, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::address::Base;
use super::error::{Error, Problem};

/// Decompressed, in bytes. Lists of thousands of revisions take a few megabytes.
const MAX_ANSWER: u64 = 256 << 20;
const MAX_PROBLEM: u64 = 4 << 20;
const CONNECT: Duration = Duration::from_secs(10);
/// The time limit for an answer to start. A server allows a request 60 seconds by default.
const ANSWER: Duration = Duration::from_secs(180);
const BODY: Duration = Duration::from_secs(300);
const RETRIES: usize = 4;
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
pub(super) const JSON: &str = "application/json";
pub(super) const LINES: &str = "application/x-ndjson";

#[derive(Clone)]
pub(crate) struct Token(Arc<str>);

impl Token {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.into()))
        } else {
            Err("the token contains invalid characters")
        }
    }
}

impl Token {
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::cli) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(...)")
    }
}

#[derive(Clone)]
pub(super) struct Http {
    agent: ureq::Agent,
    pub(super) base: Base,
    pub(super) token: Option<Token>,
}

pub(super) struct Ask {
    method: Method,
    url: String,
    accept: &'static str,
    body: Option<(String, Vec<u8>)>,
    is_idempotent: bool,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) location: Option<String>,
    retry_after: Option<Duration>,
    pub(super) bytes: Vec<u8>,
}

impl Ask {
    pub(super) fn get(url: String, accept: &'static str) -> Self {
        Self {
            method: Method::GET,
            url,
            accept,
            body: None,
            is_idempotent: true,
        }
    }

    pub(super) fn post(url: String, media: impl Into<String>, body: Vec<u8>) -> Self {
        Self {
            method: Method::POST,
            url,
            accept: JSON,
            body: Some((media.into(), body)),
            is_idempotent: false,
        }
    }

    pub(super) fn idempotent(self) -> Self {
        Self {
            is_idempotent: true,
            ..self
        }
    }

    pub(super) fn patch(url: String, media: impl Into<String>, body: Vec<u8>) -> Self {
        Self {
            method: Method::PATCH,
            ..Self::post(url, media, body).idempotent()
        }
    }

    pub(super) fn put(url: String, body: Vec<u8>) -> Self {
        Self {
            method: Method::PUT,
            ..Self::post(url, JSON, body).idempotent()
        }
    }

    pub(super) fn delete(url: String) -> Self {
        Self {
            method: Method::DELETE,
            url,
            accept: JSON,
            body: None,
            is_idempotent: false,
        }
    }
}

impl Answer {
    pub(super) fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.bytes).map_err(|error| self.strange(&error))
    }

    pub(super) fn lines<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        let lines = self
            .bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let read = |line| serde_json::from_slice(line).map_err(|error| self.strange(&error));
        lines.map(read).collect()
    }

    fn strange(&self, error: &serde_json::Error) -> Error {
        Error::Strange {
            url: self.url.clone(),
            what: format!("answers differently from this version of Opatlas ({error})"),
        }
    }
}

impl Http {
    pub(super) fn new(base: Base, token: Option<Token>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed only once at the start, so that a token goes nowhere else.
            .max_redirects(0)
            .user_agent(concat!("opatlas/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT))
            .timeout_send_body(Some(BODY))
            .timeout_recv_response(Some(ANSWER))
            .timeout_recv_body(Some(BODY))
            .tls_config(TlsConfig::builder().root_certs(roots(&base)).build());
        Self {
            agent: config.build().into(),
            base,
            token,
        }
    }

    /// Retries idempotent requests after a pause if the server is busy. Refusals are errors.
    pub(super) async fn ask(&self, ask: Ask) -> Result<Answer, Error> {
        let ask = Arc::new(ask);
        let mut answer = self.exchange(&ask).await?;
        for _ in 0..RETRIES {
            if answer.status != 503 || !ask.is_idempotent {
                break;
            }
            let (pause, most) = PAUSE;
            tokio::time::sleep(answer.retry_after.unwrap_or(pause).min(most)).await;
            answer = self.exchange(&ask).await?;
        }
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let Ok(problem) = answer.value::<Problem>() else {
            return Err(Error::Strange {
                what: match &answer.location {
                    Some(location) => format!("redirects to {}", location.escape_debug()),
                    None => format!(
                        "answers {}, which is not an answer of Opatlas",
                        answer.status
                    ),
                },
                url: answer.url,
            });
        };
        Err(Error::Refused {
            server: self.base.as_str().to_owned(),
            problem: Box::new(problem),
            with_token: self.token.is_some(),
        })
    }

    pub(super) async fn exchange(&self, ask: &Arc<Ask>) -> Result<Answer, Error> {
        let (http, server) = (self.clone(), self.base.as_str().to_owned());
        let ask = Arc::clone(ask);
        let done = tokio::task::spawn_blocking(move || http.send(&ask)).await;
        let answer = match done {
            Ok(answer) => answer,
            // Propagate a panic.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        answer.map_err(|cause| Error::Unreachable {
            server,
            cause: Box::new(cause),
        })
    }

    fn send(&self, ask: &Ask) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder()
            .method(&ask.method)
            .uri(&ask.url)
            .header(header::ACCEPT, ask.accept);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token.bearer());
        }
        let mut response = match &ask.body {
            Some((media, body)) => {
                let request = request.header(header::CONTENT_TYPE, media);
                self.agent.run(request.body(body.as_slice())?)?
            }
            None => self.agent.run(request.body(())?)?,
        };
        let said = |name| response.headers().get(name)?.to_str().ok();
        let location = said(header::LOCATION).filter(|_| response.status().is_redirection());
        let seconds = said(header::RETRY_AFTER).and_then(|seconds| seconds.parse().ok());
        let most = if response.status().is_success() {
            MAX_ANSWER
        } else {
            MAX_PROBLEM
        };
        Ok(Answer {
            url: ask.url.clone(),
            status: response.status().as_u16(),
            location: location.map(str::to_owned),
            retry_after: seconds.map(Duration::from_secs),
            bytes: body(&mut response, most)?,
        })
    }
}

pub(in crate::cli) fn body(
    response: &mut Response<ureq::Body>,
    most: u64,
) -> Result<Vec<u8>, ureq::Error> {
    let mut bytes = Vec::new();
    // ureq's limit counts compressed bytes.
    let mut decompressed = response.body_mut().as_reader().take(most + 1);
    decompressed.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(ureq::Error::BodyExceedsLimit(most))
    } else {
        Ok(bytes)
    }
}

/// The certificates to check a server with; an insecure address needs none.
pub(in crate::cli) fn roots(base: &Base) -> RootCerts {
    match base.is_secure() {
        true => system_roots(),
        false => RootCerts::WebPki,
    }
}

/// The system's root certificates, which may include a company's; if there are none, Mozilla's.
pub(in crate::cli) fn system_roots() -> RootCerts {
    let found: Vec<Certificate<'static>> = rustls_native_certs::load_native_certs()
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect();
    if found.is_empty() {
        RootCerts::WebPki
    } else {
        RootCerts::new_with_certs(&found)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// The client's result for an answer of this many compressed zeros.
    fn zeros(bytes: usize, most: u64) -> Result<Vec<u8>, ureq::Error> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![0; bytes]).unwrap();
        let packed = encoder.finish().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).unwrap();
            let length = packed.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&packed).unwrap();
        });
        let mut response = ureq::get(&url).call().unwrap();
        server.join().unwrap();
        body(&mut response, most)
    }

    #[test]
    fn a_limit_counts_what_is_decompressed() {
        assert_eq!(zeros(100_000, 100_000).unwrap().len(), 100_000);
        let error = zeros(100_001, 100_000).unwrap_err();
        assert!(matches!(error, ureq::Error::BodyExceedsLimit(100_000)));
    }
}

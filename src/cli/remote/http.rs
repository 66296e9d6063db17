//! Requests over HTTP, one at a time; whoever asks waits on another thread.

use std::fmt;
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use ureq::http::{Method, Request, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::address::Base;
use super::error::{Error, Problem};

/// The greatest answer that is read, in bytes, decompressed: the lists of a project with many
/// thousands of revisions are of some megabytes.
const MAX_ANSWER: u64 = 256 << 20;
/// The greatest answer that says why a request was refused.
const MAX_PROBLEM: u64 = 4 << 20;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take to start. A server allows a request 60 seconds by default.
const ANSWER: Duration = Duration::from_secs(180);
/// How long a body may be on its way, in either direction.
const BODY: Duration = Duration::from_secs(300);
/// How often a request is made again where the server is busy.
const RETRIES: usize = 4;
/// How long a busy server is left alone, unless it says how long; and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
pub(super) const JSON: &str = "application/json";
pub(super) const LINES: &str = "application/x-ndjson";

/// A token; it is never shown.
#[derive(Clone)]
pub(crate) struct Token(Arc<str>);

impl Token {
    /// Reads a token.
    ///
    /// # Errors
    /// When it has a character that no token has.
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
    /// Whether nothing was given, as by an empty variable of the environment.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of an `Authorization` header.
    pub(in crate::cli) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(...)")
    }
}

/// A server to be asked.
#[derive(Clone)]
pub(super) struct Http {
    agent: ureq::Agent,
    pub(super) base: Base,
    pub(super) token: Option<Token>,
}

/// A request.
pub(super) struct Ask {
    method: Method,
    url: String,
    accept: &'static str,
    /// A body with its media type.
    body: Option<(String, Vec<u8>)>,
    /// Whether the request is idempotent.
    is_idempotent: bool,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) url: String,
    pub(super) status: u16,
    /// Where it sends on to.
    pub(super) location: Option<String>,
    /// How long it wants to be left alone.
    retry_after: Option<Duration>,
    pub(super) bytes: Vec<u8>,
}

impl Ask {
    /// A GET request.
    pub(super) fn get(url: String, accept: &'static str) -> Self {
        Self {
            method: Method::GET,
            url,
            accept,
            body: None,
            is_idempotent: true,
        }
    }

    /// Sends a body of this media type.
    pub(super) fn post(url: String, media: impl Into<String>, body: Vec<u8>) -> Self {
        Self {
            method: Method::POST,
            url,
            accept: JSON,
            body: Some((media.into(), body)),
            is_idempotent: false,
        }
    }

    /// An idempotent request with a body.
    pub(super) fn idempotent(self) -> Self {
        Self {
            is_idempotent: true,
            ..self
        }
    }

    /// Changes something, to the same however often.
    pub(super) fn patch(url: String, media: impl Into<String>, body: Vec<u8>) -> Self {
        Self {
            method: Method::PATCH,
            ..Self::post(url, media, body).idempotent()
        }
    }

    /// Takes something away.
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
    /// What a JSON answer says.
    ///
    /// # Errors
    /// When it says something else.
    pub(super) fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.bytes).map_err(|error| self.strange(&error))
    }

    /// What each line of an answer says.
    ///
    /// # Errors
    /// When one says something else.
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
            // Where a server has moved to is found out once, so that a token goes nowhere else.
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

    /// Asks, on a thread where waiting is allowed. A server that is too busy is asked again after a
    /// while, where that does no harm. Refusals are errors.
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

    /// Asks, whatever the answer is.
    pub(super) async fn exchange(&self, ask: &Arc<Ask>) -> Result<Answer, Error> {
        let (http, server) = (self.clone(), self.base.as_str().to_owned());
        let ask = Arc::clone(ask);
        let done = tokio::task::spawn_blocking(move || http.send(&ask)).await;
        let answer = match done {
            Ok(answer) => answer,
            // A panic there is one here.
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

/// The body of an answer, of at most so many bytes.
///
/// # Errors
/// If it has more, or cannot be read.
pub(in crate::cli) fn body(
    response: &mut Response<ureq::Body>,
    most: u64,
) -> Result<Vec<u8>, ureq::Error> {
    let mut bytes = Vec::new();
    // The limit of ureq counts the bytes that are sent, which may be compressed.
    let mut decompressed = response.body_mut().as_reader().take(most + 1);
    decompressed.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(ureq::Error::BodyExceedsLimit(most))
    } else {
        Ok(bytes)
    }
}

/// The certificates that the system trusts, those of a company among them; where it has none, those
/// that browsers trust.
pub(in crate::cli) fn roots(base: &Base) -> RootCerts {
    if !base.is_secure() {
        return RootCerts::WebPki;
    }
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

    /// What the client makes of an answer with this many compressed zeros.
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

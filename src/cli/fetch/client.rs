//! Asks package indexes over HTTP, with limits on redirects, size and time.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use opatlas_source::Stop;
use sha2::{Digest as _, Sha256};
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};
use url::Url;

use super::page::{self, Link};
use super::settings::Settings;
use crate::cli::remote::{body, system_roots};

/// The page of `torch` has 1 MiB in 2026.
const MAX_PAGE: u64 = 32 << 20;
/// The largest wheels have 1 GiB.
const MAX_WHEEL: u64 = 4 << 30;
const MAX_REDIRECTS: usize = 8;
/// The time limit for a whole wheel; pip's timeout limits each wait for data.
const WHOLE: Duration = Duration::from_secs(3600);
const RETRIES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
const CHUNK: usize = 64 << 10;

/// Why an address gave no answer. The text has no credentials.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is nothing at the address.
    Absent,
    /// The user asked to stop.
    Stopped,
    /// The connection failed, so asking again may help.
    Passing(String),
    /// Something else.
    Other(String),
}

impl From<ureq::Error> for Failure {
    fn from(error: ureq::Error) -> Self {
        Self::Passing(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Asks with the user's settings.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) settings: Settings,
    roots: OnceLock<RootCerts>,
    stop: Stop,
}

impl Client {
    pub(super) fn new(settings: Settings, stop: Stop) -> Self {
        Self {
            settings,
            roots: OnceLock::new(),
            stop,
        }
    }

    /// The links of a page.
    pub(super) fn links(&self, url: &Url) -> Result<Vec<Link>, Failure> {
        let (base, mut response) = self.ask(url, page::ACCEPT)?;
        let media = response.headers().get(header::CONTENT_TYPE);
        let media = media.and_then(|media| media.to_str().ok()).unwrap_or("");
        let media = media.to_owned();
        let bytes = body(&mut response, MAX_PAGE)?;
        page::links(&media, &base, &bytes).map_err(Failure::Other)
    }

    /// Downloads a file into one without a name, which ends with the program.
    pub(super) fn download(&self, link: &Link) -> Result<File, Failure> {
        let (_, mut response) = self.ask(&link.url, "*/*")?;
        let mut file = tempfile::tempfile()?;
        let (mut digest, mut length) = (Sha256::new(), 0);
        let mut reader = response.body_mut().as_reader();
        let mut chunk = vec![0; CHUNK];
        loop {
            if self.stop.is_requested() {
                return Err(Failure::Stopped);
            }
            let count = reader.read(&mut chunk)?;
            if count == 0 {
                break;
            }
            length += count as u64;
            if length > MAX_WHEEL {
                let reason = format!("it has more than {MAX_WHEEL} bytes");
                return Err(Failure::Other(reason));
            }
            digest.update(&chunk[..count]);
            file.write_all(&chunk[..count])?;
        }
        if let Some(wanted) = &link.sha256 {
            expect_digest(wanted, &digest.finalize())?;
        }
        file.rewind()?;
        Ok(file)
    }

    /// Asks, follows redirects, and asks again after a failure that may pass.
    fn ask(&self, url: &Url, accept: &str) -> Result<(Url, Response<Body>), Failure> {
        let mut pauses = RETRIES.into_iter();
        loop {
            let asked = self.follow(url, accept);
            if self.stop.is_requested() {
                return Err(Failure::Stopped);
            }
            let may_pass = match &asked {
                Ok((_, response)) => may_pass(response.status()),
                Err(failure) => matches!(failure, Failure::Passing(_)),
            };
            match pauses.next().filter(|_| may_pass) {
                Some(pause) => thread::sleep(pause),
                None => {
                    let (url, response) = asked?;
                    return answer(url, response);
                }
            }
        }
    }

    fn follow(&self, url: &Url, accept: &str) -> Result<(Url, Response<Body>), Failure> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(&url, accept)?;
            if !response.status().is_redirection() {
                return Ok((url, response));
            }
            let location = response.headers().get(header::LOCATION);
            let next = location.and_then(|location| location.to_str().ok());
            let next = next.and_then(|next| url.join(next).ok());
            url = next.ok_or_else(|| other("it redirects to nowhere"))?;
        }
        Err(other("it redirects too often"))
    }

    fn send(&self, url: &Url, accept: &str) -> Result<Response<Body>, Failure> {
        if !self.settings.may_ask(url) {
            return Err(Failure::Other(format!(
                "{} is not asked without HTTPS; add the host to pip's option trusted-host if you trust it",
                shown(url)
            )));
        }
        let mut request = self.agent(url)?.get(bare(url).as_str());
        request = request.header(header::ACCEPT, accept);
        // A digest is that of the file as it is.
        request = request.header(header::ACCEPT_ENCODING, "identity");
        if let Some(credentials) = self.settings.credentials(url) {
            request = request.header(header::AUTHORIZATION, credentials.header());
        }
        Ok(request.call()?)
    }

    fn agent(&self, url: &Url) -> Result<Agent, Failure> {
        let wait = Some(self.settings.timeout);
        let mut tls = TlsConfig::builder();
        if url.scheme() == "https" {
            tls = tls
                .root_certs(self.roots()?)
                .disable_verification(self.settings.trusts(url));
        }
        let proxy = self.settings.proxy(url).map(Proxy::new).transpose();
        let proxy = proxy.map_err(|_| other("the address of the proxy cannot be used"))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Each address is checked first.
            .max_redirects(0)
            .user_agent(concat!("opatlas/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy)
            .timeout_resolve(wait)
            .timeout_connect(wait)
            .timeout_per_read(wait)
            .timeout_recv_response(wait)
            .timeout_recv_body(Some(WHOLE))
            .tls_config(tls.build());
        Ok(config.build().into())
    }

    fn roots(&self) -> Result<RootCerts, Failure> {
        if let Some(roots) = self.roots.get() {
            return Ok(roots.clone());
        }
        let roots = match &self.settings.certificates {
            None => system_roots(),
            Some(path) => {
                let (file, folder) = match path.is_dir() {
                    true => (None, Some(&**path)),
                    false => (Some(&**path), None),
                };
                let found = rustls_native_certs::load_certs_from_paths(file, folder).certs;
                if found.is_empty() {
                    let reason = format!("{} has no certificates", path.display());
                    return Err(Failure::Other(reason));
                }
                let found = found
                    .iter()
                    .map(|found| Certificate::from_der(found).to_owned());
                RootCerts::new_with_certs(&found.collect::<Vec<_>>())
            }
        };
        Ok(self.roots.get_or_init(|| roots).clone())
    }
}

fn other(reason: &str) -> Failure {
    Failure::Other(reason.to_owned())
}

fn may_pass(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

fn answer(url: Url, response: Response<Body>) -> Result<(Url, Response<Body>), Failure> {
    match response.status() {
        StatusCode::OK => Ok((url, response)),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failure::Absent),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Failure::Other(format!(
            "it answers {}; put a name and a password into index-url or ~/.netrc",
            response.status()
        ))),
        status => Err(Failure::Other(format!("it answers {status}"))),
    }
}

fn expect_digest(wanted: &str, found: &[u8]) -> Result<(), Failure> {
    let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
    if wanted.eq_ignore_ascii_case(&found) {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "its SHA-256 is {found:.12}..., but the index says {:.12}...",
        wanted.escape_debug().to_string()
    )))
}

/// An address without credentials.
fn bare(url: &Url) -> Url {
    let mut url = url.clone();
    // Addresses that cannot have them have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url
}

/// An address as messages show it: without credentials and without a query, which may have them.
pub(super) fn shown(url: &Url) -> String {
    let mut url = bare(url);
    url.set_query(None);
    url.to_string()
}

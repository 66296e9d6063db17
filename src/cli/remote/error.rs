//! Errors of requests to a server.

use std::fmt;

use opatlas_source::visible::line;
use serde::Deserialize;

use opatlas_wire::finding::Finding;
use opatlas_wire::problem::{Fault, Kind};

#[derive(Debug)]
pub(crate) enum Error {
    Unreachable {
        server: String,
        cause: Box<ureq::Error>,
    },
    Refused {
        server: String,
        problem: Box<Problem>,
        with_token: bool,
    },
    /// The answer is not from a compatible Opatlas.
    Strange { url: String, what: String },
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: u16,
    pub(super) detail: String,
    #[serde(default)]
    request_id: String,
    #[serde(default)]
    errors: Vec<Fault>,
    #[serde(default)]
    findings: Vec<Finding>,
}

impl Error {
    pub(crate) fn is(&self, kind: Kind) -> bool {
        match self {
            Self::Refused { problem, .. } => {
                problem.kind.strip_prefix("/problems/") == Some(kind.slug())
            }
            _ => false,
        }
    }

    pub(crate) fn is_about_a_name(&self) -> bool {
        [
            Kind::UnknownProject,
            Kind::UnknownRevision,
            Kind::InvalidName,
        ]
        .into_iter()
        .any(|kind| self.is(kind))
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { server, cause } => {
                write!(f, "no answer from {server}: {cause}; {}", to_try(cause))
            }
            Self::Refused {
                server,
                problem,
                with_token,
            } => refused(f, server, problem, *with_token),
            Self::Strange { url, what } => write!(
                f,
                "{url} {}; --server must be the address of the first page of Opatlas",
                line(what)
            ),
        }
    }
}

const ENCRYPTION: &str = "this system must trust its certificate (SSL_CERT_FILE sets another \
                          list); Opatlas without a proxy speaks http://";

fn to_try(cause: &ureq::Error) -> &'static str {
    match cause {
        ureq::Error::HostNotFound => "check the host name",
        ureq::Error::Timeout(_) => {
            "check that it is running, and that no firewall or proxy blocks it"
        }
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => ENCRYPTION,
        // TLS errors arrive as invalid data.
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => ENCRYPTION,
        ureq::Error::InvalidProxyUrl | ureq::Error::ConnectProxyFailed(_) => {
            "check HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts without a proxy"
        }
        _ => "check that `opatlas serve` is running there, and the port",
    }
}

fn refused(
    f: &mut fmt::Formatter<'_>,
    server: &str,
    problem: &Problem,
    with_token: bool,
) -> fmt::Result {
    match problem.status {
        401 if with_token => write!(
            f,
            "{server} rejects this token: {}; create another with `opatlas token create` on the \
             host of its database",
            line(&problem.detail)
        )?,
        401 => write!(
            f,
            "{server} requires a token for this: set OPATLAS_TOKEN; `opatlas token create` on the \
             host of its database creates one"
        )?,
        403 if with_token => write!(
            f,
            "{}; `opatlas token create NAME --project PROJECT --action ACTION` on the host of the \
             database of {server} creates a suitable token",
            line(&problem.detail)
        )?,
        500.. => {
            write!(f, "{server} failed: {}", line(&problem.detail))?;
            if !problem.request_id.is_empty() {
                write!(f, " (request {})", line(&problem.request_id))?;
            }
        }
        _ => f.write_str(&line(&problem.detail))?,
    }
    if problem.errors.len() > 1 {
        for fault in &problem.errors {
            write!(f, "\n  {}", line(&fault.detail))?;
        }
    }
    for finding in &problem.findings {
        let file = finding.file.as_deref().unwrap_or_default();
        let text = format!(
            "{file}:{}:{}: {} [{}]",
            finding.span.line, finding.span.column, finding.message, finding.rule
        );
        write!(f, "\n  {}", line(&text))?;
    }
    Ok(())
}

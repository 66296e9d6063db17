//! A server that a command uses instead of a database. Everything but stored data is computed here,
//! by the code for databases, so results do not depend on the server's version.

mod address;
mod error;
mod exceptions;
mod http;
mod probe;
mod projects;
mod revisions;

use std::sync::{Arc, Mutex};

use axum::http::Method;
use rustc_hash::FxHashMap;

use opatlas_service::Snapshot;
use opatlas_service::history::Line;
use opatlas_source::Digest;
use opatlas_wire::history::History;
use opatlas_wire::operations::{API_VERSION, Version};
use opatlas_wire::problem::Kind;

pub(super) use address::Base;
pub(super) use error::Error;
pub(super) use http::{Token, body, roots, system_roots};

use super::api::Call;
use http::{Ask, Http, JSON};

const MOVES: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) base: Base,
    pub(super) token: Option<Token>,
}

pub(super) struct Remote {
    http: Http,
    files: Mutex<FxHashMap<Digest, Vec<String>>>,
    /// The last revision, from which the next one reuses unchanged entries.
    last: Mutex<Option<Arc<Snapshot>>>,
}

impl Remote {
    /// Connects to the server, and checks its version. Follows redirects, but never sends a token
    /// to another host.
    pub(super) async fn open(server: &Server) -> Result<Self, Error> {
        let mut http = Http::new(server.base.clone(), server.token.clone());
        for _ in 0..MOVES {
            let ask = Arc::new(Ask::get(http.base.version(), JSON));
            let answer = http.exchange(&ask).await?;
            let moved = answer.location.as_deref();
            let Some(moved) = moved.and_then(|location| http.base.moved(location)) else {
                break;
            };
            let token = http.token.filter(|_| http.base.trusts(&moved));
            http = Http::new(moved, token);
        }
        if server.token.is_some() && http.token.is_none() {
            eprintln!(
                "note: {} redirects to {}, which does not receive the token",
                server.base.as_str(),
                http.base.as_str()
            );
        }
        let strange = |what: String| Error::Strange {
            url: http.base.version(),
            what,
        };
        let answer = http
            .ask(Ask::get(http.base.version(), JSON))
            .await
            .map_err(|error| {
                if error.is(Kind::UnknownRoute) {
                    strange("does not exist".to_owned())
                } else {
                    error
                }
            })?;
        let version = answer
            .value::<Version>()
            .ok()
            .filter(|version| version.name == env!("CARGO_PKG_NAME"));
        let Some(version) = version else {
            return Err(strange("is not an Opatlas server".to_owned()));
        };
        if version.api != API_VERSION {
            return Err(strange(format!(
                "has API version {}, but this program has {API_VERSION}",
                version.api.escape_debug()
            )));
        }
        if version.version != env!("CARGO_PKG_VERSION") {
            eprintln!(
                "note: the server is Opatlas {}, this is {}; local results may differ from those \
                 of the server",
                version.version.escape_debug(),
                env!("CARGO_PKG_VERSION")
            );
        }
        Ok(Self {
            http,
            files: Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// The answer to a request. Requests that change something have a JSON body or none.
    pub(super) async fn call(
        &self,
        method: Method,
        call: Call<'_>,
        body: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        let url = self.http.base.url(call.path, call.query);
        let ask = match body {
            None if method == Method::DELETE => Ask::delete(url),
            None => Ask::get(url, call.accept),
            Some(body) => Ask::put(url, body),
        };
        Ok(self.http.ask(ask).await?.bytes)
    }

    pub(super) async fn history(
        &self,
        project: &str,
        operator: &str,
        line: Option<Line>,
        (from, to): (Option<&str>, Option<&str>),
        key: Option<&str>,
    ) -> Result<History, Error> {
        let path = ["v1", "projects", project, "operators", operator, "history"];
        let query = [
            ("line", line.map(Line::as_str)),
            ("from", from),
            ("to", to),
            ("key", key),
        ];
        let url = self.http.base.url(&path, &query);
        self.http.ask(Ask::get(url, JSON)).await?.value()
    }
}

//! Checks the host that a request names, and the origin of requests that write without a token.
//!
//! A site whose name resolves to 127.0.0.1 (DNS rebinding) could read and write here if the service
//! answered for any host name.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::ApiConfig;
use opatlas_wire::problem::{Kind, Problem};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The hosts that the service answers for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Hosts {
    /// All.
    #[default]
    Any,
    /// Loopback (`localhost`, 127.0.0.0/8, `[::1]`) and these hosts, with any port.
    Only(Vec<HostName>),
}

/// A host name or IP address without a port, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

impl Hosts {
    /// Rejects a request for another host. Fails with [`Kind::MalformedRequest`] if it names no
    /// host or several, and [`Kind::Forbidden`] for a host that is not served.
    pub fn expect(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let authority = authority(uri, headers)?;
        let Self::Only(hosts) = self else {
            return Ok(());
        };
        let Some(authority) = authority else {
            let detail = "the request has no host; HTTP/1.1 needs one `Host` header";
            return Err(Problem::new(Kind::MalformedRequest, detail));
        };
        let host = HostName::of(&authority);
        if host.is_loopback() || hosts.contains(&host) {
            return Ok(());
        }
        Err(Problem::new(
            Kind::Forbidden,
            "this server does not serve the host in the request; `--allowed-host` allows a host",
        ))
    }
}

impl HostName {
    /// Reads `opatlas.example.org`, `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`. Fails for a text
    /// such as a URL or a host with a port.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bracketed = match text.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{text}]"),
            Err(_) => text.to_owned(),
        };
        match bracketed.parse::<Authority>() {
            Ok(authority) if authority.host() == bracketed => Ok(Self::of(&authority)),
            _ => Err(
                "a host has the form opatlas.example.org, without a scheme, port or path"
                    .to_owned(),
            ),
        }
    }

    /// Compares IP addresses by value, because IPv6 has many spellings.
    fn of(authority: &Authority) -> Self {
        let host = authority.host().to_ascii_lowercase();
        let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        match IpAddr::from_str(bare.unwrap_or(&host)) {
            Ok(address) => Self(address.to_canonical().to_string()),
            Err(_) => Self(host.strip_suffix('.').unwrap_or(&host).to_owned()),
        }
    }

    fn is_loopback(&self) -> bool {
        let address = self.0.parse::<IpAddr>();
        self.0 == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

/// The layer that checks the host. Fails as [`Hosts::expect`] does.
pub async fn expect_host(
    State(config): State<Arc<ApiConfig>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    config.hosts.expect(request.uri(), request.headers())?;
    Ok(next.run(request).await)
}

/// Rejects a write from a page of another site: browsers send forms to other sites without asking,
/// with the page's site in `Origin`. Fails with [`Kind::Forbidden`].
pub fn refuse_other_sites(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    allowed: &[String],
) -> Result<(), Problem> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let is_own = match (origins.next(), origins.next()) {
        (None, _) => headers
            .get_all(SEC_FETCH_SITE)
            .iter()
            .all(|site| site == "same-origin" || site == "none"),
        (Some(origin), None) => {
            let origin = origin.to_str().unwrap_or_default();
            let authority = authority(uri, headers)?;
            let is_allowed = origin != "null" && allowed.iter().any(|allowed| allowed == origin);
            is_allowed || authority.is_some_and(|own| is_same_origin(origin, &own))
        }
        (Some(_), Some(_)) => false,
    };
    if is_own {
        Ok(())
    } else {
        Err(Problem::new(
            Kind::Forbidden,
            "a page of another site requests a change, and this server needs no token; \
             `--cors-origin` allows a site",
        ))
    }
}

/// The scheme only determines the default port, because a proxy may have terminated TLS.
fn is_same_origin(origin: &str, own: &Authority) -> bool {
    // `null` is the origin of sandboxed frames and local files: a URI without a scheme.
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let (Some(scheme), Some(site)) = (origin.scheme_str(), origin.authority()) else {
        return false;
    };
    let default = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    let port = |of: &Authority| of.port_u16().unwrap_or(default);
    HostName::of(site) == HostName::of(own) && port(site) == port(own)
}

/// The host and port of a request: `:authority` in HTTP/2, otherwise the target or `Host` (RFC 9112
/// section 3.2, RFC 9113 section 8.3.1).
fn authority(uri: &Uri, headers: &HeaderMap) -> Result<Option<Authority>, Problem> {
    let malformed = |detail: &str| Problem::new(Kind::MalformedRequest, detail);
    let mut named = headers.get_all(header::HOST).iter();
    let (host, further) = (named.next(), named.next());
    if further.is_some() {
        return Err(malformed("the request has more than one `Host` header"));
    }
    let host = match host.map(|host| host.as_bytes()) {
        None | Some(b"") => None,
        Some(text) => {
            let host = Authority::try_from(text).ok();
            Some(host.ok_or_else(|| malformed("the `Host` header is not a valid host"))?)
        }
    };
    let authority = match (uri.authority().cloned(), host) {
        (Some(target), Some(host)) if target != host => {
            return Err(malformed(
                "the request target and its `Host` header name different hosts",
            ));
        }
        (target, host) => target.or(host),
    };
    match authority {
        Some(authority) if authority.as_str().contains('@') => {
            Err(malformed("a host cannot have a user or password"))
        }
        authority => Ok(authority),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn loopback_and_named_hosts_are_served() {
        let hosts = Hosts::Only(vec![
            HostName::parse("Opatlas.example.org").unwrap(),
            HostName::parse("2001:db8::1").unwrap(),
        ]);
        let status = |host: &str| {
            let headers = headers(&[(header::HOST, host)]);
            hosts
                .expect(&Uri::from_static("/"), &headers)
                .map_err(|problem| problem.status.as_u16())
                .err()
        };
        for good in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.:1",
            "127.0.0.1",
            "127.9.9.9:99",
            "[::1]",
            "[0:0:0:0:0:0:0:1]:80",
            "[::ffff:127.0.0.1]:80",
            "opatlas.example.org:443",
            "[2001:db8:0::1]:8080",
        ] {
            assert_eq!(status(good), None, "{good}");
        }
        for other in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.1",
            "0.0.0.0",
            "[::]",
            "10.0.0.1",
            "a.opatlas.example.org",
        ] {
            assert_eq!(status(other), Some(403), "{other}");
        }
        for malformed in [
            "",
            "evil.example@127.0.0.1",
            "127.0.0.1@evil.example",
            "a b",
            "a/b",
        ] {
            assert_eq!(status(malformed), Some(400), "{malformed}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let hosts = Hosts::Only(Vec::new());
        let ask = |uri: &'static str, named: &[&str]| {
            let named: Vec<_> = named.iter().map(|host| (header::HOST, *host)).collect();
            let asked = hosts.expect(&Uri::from_static(uri), &headers(&named));
            asked.map_err(|problem| problem.status.as_u16())
        };
        assert_eq!(ask("/", &[]), Err(400));
        assert_eq!(ask("/", &["127.0.0.1", "127.0.0.1"]), Err(400));
        assert_eq!(ask("http://127.0.0.1:1/", &[]), Ok(()));
        assert_eq!(ask("http://127.0.0.1:1/", &["127.0.0.1:1"]), Ok(()));
        assert_eq!(ask("http://evil.example/", &[]), Err(403));
        assert_eq!(ask("http://evil.example/", &["127.0.0.1"]), Err(400));
        assert_eq!(ask("http://127.0.0.1/", &["evil.example"]), Err(400));
    }

    #[test]
    fn only_pages_of_the_same_origin_change() {
        let ask = |uri: &'static str, pairs: &[(HeaderName, &str)]| {
            let allowed = ["https://ci.example.org".to_owned(), "null".to_owned()];
            let (post, uri) = (&Method::POST, &Uri::from_static(uri));
            refuse_other_sites(post, uri, &headers(pairs), &allowed).is_ok()
        };
        let (host, origin) = (header::HOST, header::ORIGIN);
        let with = |host_is: &str, origin_is: &str| {
            ask("/", &[(host.clone(), host_is), (origin.clone(), origin_is)])
        };
        assert!(with("127.0.0.1:8080", "http://127.0.0.1:8080"));
        assert!(with("Opatlas.example", "https://opatlas.example"));
        assert!(with("opatlas.example:443", "https://opatlas.example"));
        assert!(with("127.0.0.1:8080", "https://ci.example.org"));
        assert!(!with("127.0.0.1:8080", "http://127.0.0.1:3000"));
        assert!(!with("opatlas.example", "http://opatlas.example:8080"));
        assert!(!with("127.0.0.1:8080", "null"));
        assert!(!with("null", "null"));
        assert!(!with("127.0.0.1", "127.0.0.1"));
        // HTTP/2 names the host in the target.
        let target = "http://127.0.0.1:8080/";
        assert!(ask(target, &[(origin.clone(), "http://127.0.0.1:8080")]));
        assert!(!ask(target, &[(origin.clone(), "null")]));
        assert!(!ask("/", &[(origin.clone(), "null")]));
        let twice = [(origin.clone(), "http://a"), (origin.clone(), "http://a")];
        assert!(!ask("http://a/", &twice));
        for (site, is_own) in [
            ("same-origin", true),
            ("none", true),
            ("cross-site", false),
            ("same-site", false),
        ] {
            assert_eq!(ask("/", &[(SEC_FETCH_SITE, site)]), is_own, "{site}");
        }
        assert!(ask("/", &[]));
    }

    #[test]
    fn what_is_no_host_is_not_taken_for_one() {
        for bad in ["", "http://a", "a:80", "a/b", "*", "a b", "[::1]:80", "u@a"] {
            assert!(HostName::parse(bad).is_err() || bad == "*", "{bad}");
        }
    }
}

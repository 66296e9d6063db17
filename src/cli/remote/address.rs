//! The address of a server, and of its resources.

use axum::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const OF_URLS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// The path that identifies the program, below every server's address.
pub(super) const VERSION: &str = "/v1/version";

/// The address of a server: scheme, host, port, and the path prefix of a proxy, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base(String);

impl Base {
    /// The error does not repeat a text that contains a password.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        const EXAMPLE: &str = "write http://HOST:PORT or https://HOST/PATH";
        if text.contains('@') {
            return Err(
                "the address of a server cannot contain a user or password; set a token with OPATLAS_TOKEN"
                    .to_owned(),
            );
        }
        let shown = text.escape_debug();
        if text.contains(['?', '#']) {
            return Err(format!(
                "`{shown}` contains more than an address; {EXAMPLE}"
            ));
        }
        let uri: Uri = text
            .trim()
            .parse()
            .map_err(|_| format!("`{shown}` is not the address of a server; {EXAMPLE}"))?;
        match (uri.scheme_str(), uri.authority()) {
            (Some(scheme @ ("http" | "https")), Some(authority)) => Ok(Self(format!(
                "{scheme}://{authority}{}",
                uri.path().trim_end_matches('/')
            ))),
            _ => Err(format!(
                "`{shown}` is not the address of a server; {EXAMPLE}"
            )),
        }
    }

    pub(in crate::cli) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_secure(&self) -> bool {
        self.0.starts_with("https:")
    }

    pub(in crate::cli) fn url(&self, path: &[&str], query: &[(&str, Option<&str>)]) -> String {
        let mut url = self.0.clone();
        for segment in path {
            url.push('/');
            url.extend(utf8_percent_encode(segment, OF_URLS));
        }
        let mut mark = '?';
        for (name, value) in query {
            let Some(value) = value else { continue };
            url.push(mark);
            url.push_str(name);
            url.push('=');
            url.extend(utf8_percent_encode(value, OF_URLS));
            mark = '&';
        }
        url
    }

    pub(super) fn version(&self) -> String {
        format!("{}{VERSION}", self.0)
    }

    /// The server that a redirect of the version request leads to; `None` if it leads elsewhere.
    pub(super) fn moved(&self, location: &str) -> Option<Self> {
        let whole = if location.starts_with('/') && !location.starts_with("//") {
            format!("{}{location}", self.origin())
        } else {
            location.to_owned()
        };
        Self::parse(whole.strip_suffix(VERSION)?).ok()
    }

    /// Whether a token may be sent to another server: the same host and port, or from HTTP to HTTPS
    /// on the same host.
    pub(super) fn trusts(&self, other: &Self) -> bool {
        let host = |base: &Self| {
            let uri: Option<Uri> = base.0.parse().ok();
            uri.and_then(|uri| Some(uri.host()?.to_ascii_lowercase()))
        };
        let is_upgrade = !self.is_secure() && other.is_secure();
        let same = self.origin().eq_ignore_ascii_case(other.origin());
        same || is_upgrade && host(self) == host(other)
    }

    fn origin(&self) -> &str {
        let host = self.0.find("://").map_or(0, |at| at + 3);
        let end = self.0[host..].find('/');
        end.map_or(&self.0, |end| &self.0[..host + end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Base::parse(text).unwrap().as_str(), expected);
        };
        check("http://127.0.0.1:8080", "http://127.0.0.1:8080");
        check("https://ops.example.org/", "https://ops.example.org");
        check(
            "https://example.org/opatlas/",
            "https://example.org/opatlas",
        );
        check("http://[::1]:8080", "http://[::1]:8080");
        for bad in [
            "",
            "localhost:8080",
            "example.org",
            "ftp://a",
            "http://a?b",
            "/v1",
        ] {
            let fault = Base::parse(bad).unwrap_err();
            assert!(fault.contains("http://HOST"), "{bad}: {fault}");
        }
        let fault = Base::parse("https://me:secret@example.org").unwrap_err();
        assert!(!fault.contains("secret") && fault.contains("OPATLAS_TOKEN"));
    }

    #[test]
    fn paths_and_queries_are_escaped() {
        let base = Base::parse("http://a/x").unwrap();
        assert_eq!(
            base.url(
                &["v1", "acme::add é", "a/b"],
                &[("from", Some("2.9+cpu")), ("to", None), ("q", Some("&="))]
            ),
            "http://a/x/v1/acme::add%20%C3%A9/a%2Fb?from=2.9%2Bcpu&q=%26%3D"
        );
    }

    #[test]
    fn a_token_goes_to_no_other_host() {
        let base = Base::parse("http://a:80/x").unwrap();
        let check = |location: &str, server: &str, is_trusted| {
            let moved = base.moved(location).unwrap();
            assert_eq!(moved.as_str(), server);
            assert_eq!(base.trusts(&moved), is_trusted, "{location}");
        };
        check("/y/v1/version", "http://a:80/y", true);
        check("https://a/x/v1/version", "https://a/x", true);
        check("http://a:81/v1/version", "http://a:81", false);
        check("https://b/v1/version", "https://b", false);
        for elsewhere in ["https://b/login?to=/v1/version", "login", "//b/v1/version"] {
            assert_eq!(base.moved(elsewhere), None, "{elsewhere}");
        }
        let secure = Base::parse("https://a").unwrap();
        assert!(!secure.trusts(&Base::parse("http://a").unwrap()));
    }
}

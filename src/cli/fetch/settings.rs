//! How to reach package indexes: what pip's configuration and the environment say about addresses,
//! certificates, proxies and credentials.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use url::{Host, Url};

use super::FetchError;
use super::configuration::{Configuration, Variables};
use super::credentials::{Credentials, Netrc};

/// The index that pip uses by default.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";
/// pip's default.
const TIMEOUT: Duration = Duration::from_secs(15);
const MAX_TIMEOUT: u64 = 3600;
const MAX_INDEXES: usize = 32;

/// Where to look for wheels, and how to ask.
pub(super) struct Settings {
    /// The indexes, without the name of a project.
    pub(super) indexes: Vec<Url>,
    /// Folders, wheels and pages with links.
    pub(super) links: Vec<String>,
    /// A file or folder with the only certificates to trust.
    pub(super) certificates: Option<PathBuf>,
    /// The time limit for a connection, and for each wait for data.
    pub(super) timeout: Duration,
    trusted: Vec<String>,
    proxy: Option<String>,
    variables: Variables,
    netrc: Netrc,
}

// Addresses may contain passwords.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

impl Settings {
    /// Reads pip's configuration. Fails if it asks for what Opatlas cannot do.
    pub(super) fn read() -> Result<Self, FetchError> {
        Self::of(&Configuration::read(Variables::of_process())?)
    }

    fn of(configuration: &Configuration) -> Result<Self, FetchError> {
        if configuration.value("client-cert").is_some() {
            let reason = "client-cert is set, but Opatlas cannot use client certificates; \
                          run `pip download --no-deps torch==VERSION` and import the file with --wheel";
            return Err(refused(reason));
        }
        let variables = configuration.variables();
        let certificates = configuration
            .value("cert")
            .or_else(|| variables.value("REQUESTS_CA_BUNDLE"))
            .or_else(|| variables.value("CURL_CA_BUNDLE"));
        Ok(Self {
            indexes: indexes(configuration)?,
            links: configuration
                .values("find-links")
                .take(MAX_INDEXES)
                .map(str::to_owned)
                .collect(),
            certificates: certificates.map(PathBuf::from),
            timeout: timeout(configuration)?,
            trusted: configuration
                .values("trusted-host")
                .map(str::to_lowercase)
                .collect(),
            proxy: configuration.value("proxy").map(str::to_owned),
            variables: variables.clone(),
            netrc: Netrc::read(variables)?,
        })
    }

    /// Whether the user trusts a host without a valid certificate.
    pub(super) fn trusts(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else {
            return false;
        };
        let with_port = url.port_or_known_default();
        let with_port = with_port.map(|port| format!("{host}:{port}"));
        let is_trusted = |name: &String| name == host || Some(name) == with_port.as_ref();
        self.trusted.iter().any(is_trusted)
    }

    /// Whether an address may be asked: over HTTPS, on this machine, or on a trusted host.
    pub(super) fn may_ask(&self, url: &Url) -> bool {
        match url.scheme() {
            "https" => true,
            "http" => is_local(url) || self.trusts(url),
            _ => false,
        }
    }

    /// The proxy for an address.
    pub(super) fn proxy(&self, url: &Url) -> Option<&str> {
        if let Some(proxy) = &self.proxy {
            return Some(proxy);
        }
        let either = |name: &str| {
            let lower = self.variables.value(name);
            lower.or_else(|| self.variables.value(&name.to_uppercase()))
        };
        let excluded = either("no_proxy").unwrap_or_default();
        if excluded.split(',').any(|entry| is_covered(url, entry)) {
            return None;
        }
        either(&format!("{}_proxy", url.scheme())).or_else(|| either("all_proxy"))
    }

    /// The credentials for an address: those of the index on the same host and port, or those in
    /// the user's netrc file.
    pub(super) fn credentials(&self, url: &Url) -> Option<Credentials> {
        let is_of_index = |index: &&Url| index.origin() == url.origin();
        let of_index = self.indexes.iter().filter(is_of_index);
        let mut found = of_index.filter_map(Credentials::of_url);
        let own = Credentials::of_url(url).or_else(|| found.next());
        own.or_else(|| self.netrc.credentials(url.host_str()?))
    }
}

fn refused(reason: impl Into<String>) -> FetchError {
    FetchError::Settings {
        reason: reason.into(),
    }
}

fn indexes(configuration: &Configuration) -> Result<Vec<Url>, FetchError> {
    if configuration.is_on("no-index") {
        return Ok(Vec::new());
    }
    let first = configuration.value("index-url").unwrap_or(DEFAULT_INDEX);
    let rest = configuration.values("extra-index-url");
    let texts = std::iter::once(first).chain(rest).take(MAX_INDEXES);
    let parsed = texts.map(|text| {
        let url = Url::parse(text).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        // The text may contain a password, so it is not shown.
        url.ok_or_else(|| {
            refused("index-url and extra-index-url take addresses such as https://HOST/simple")
        })
    });
    parsed.collect()
}

fn timeout(configuration: &Configuration) -> Result<Duration, FetchError> {
    let value = configuration.value("timeout");
    let Some(text) = value.or_else(|| configuration.value("default-timeout")) else {
        return Ok(TIMEOUT);
    };
    let seconds: f64 = text.parse().ok().filter(|s| *s > 0.0).ok_or_else(|| {
        refused(format!(
            "timeout is `{}`, not a number of seconds",
            text.escape_debug()
        ))
    })?;
    Ok(Duration::from_secs_f64(
        seconds.clamp(1.0, MAX_TIMEOUT as f64),
    ))
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether an entry of `NO_PROXY` covers an address: `*`, a host, a domain, or a network.
fn is_covered(url: &Url, entry: &str) -> bool {
    let entry = entry
        .trim()
        .trim_start_matches("*.")
        .trim_start_matches('.');
    let entry = entry.to_lowercase();
    let Some(host) = url.host_str().filter(|_| !entry.is_empty()) else {
        return false;
    };
    if entry == "*" {
        return true;
    }
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    if let Some(address) = address {
        let network = entry.parse::<IpNet>().ok();
        let network = network.or_else(|| entry.parse::<IpAddr>().ok().map(IpNet::from));
        if network.is_some_and(|network| network.contains(&address)) {
            return true;
        }
    }
    let with_port = url.port_or_known_default();
    let with_port = with_port.map(|port| format!("{host}:{port}"));
    let is_under = |name: &str| {
        name == entry
            || name
                .strip_suffix(&entry)
                .is_some_and(|rest| rest.ends_with('.'))
    };
    is_under(host) || with_port.as_deref().is_some_and(is_under)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(variables: [(&str, &str); N]) -> Result<Settings, String> {
        let mut all = vec![("PIP_CONFIG_FILE", "/dev/null")];
        all.extend(variables);
        let configuration = Configuration::read(Variables::of(&all)).unwrap();
        Settings::of(&configuration).map_err(|error| error.to_string())
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn the_indexes_are_pips() {
        let shown = |settings: Settings| {
            let shown: Vec<_> = settings.indexes.iter().map(Url::to_string).collect();
            shown.join(" ")
        };
        assert_eq!(shown(of([]).unwrap()), DEFAULT_INDEX);
        let settings = of([
            ("PIP_INDEX_URL", "https://a/simple/"),
            ("PIP_EXTRA_INDEX_URL", "https://b/one https://c/two"),
        ]);
        assert_eq!(
            shown(settings.unwrap()),
            "https://a/simple/ https://b/one https://c/two"
        );
        assert_eq!(shown(of([("PIP_NO_INDEX", "true")]).unwrap()), "");
    }

    #[test]
    fn what_cannot_be_done_is_refused_without_a_password() {
        for (name, value) in [
            ("PIP_INDEX_URL", "me:secret@host"),
            ("PIP_EXTRA_INDEX_URL", "file:///secret"),
            ("PIP_CLIENT_CERT", "/secret.pem"),
            ("PIP_TIMEOUT", "soon"),
        ] {
            let said = of([(name, value)]).unwrap_err();
            assert!(!said.contains("secret"), "{name}: {said}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_and_trusted_hosts() {
        let settings = of([("PIP_TRUSTED_HOST", "mirror other:8080")]).unwrap();
        for (text, may_ask) in [
            ("https://host/", true),
            ("http://host/", false),
            ("http://127.0.0.1:1/", true),
            ("http://[::1]/", true),
            ("http://mirror:81/", true),
            ("http://other:8080/", true),
            ("http://other/", false),
            ("file:///etc/passwd", false),
            ("ftp://mirror/", false),
        ] {
            assert_eq!(settings.may_ask(&url(text)), may_ask, "{text}");
        }
    }

    #[test]
    fn a_proxy_is_for_a_scheme_and_not_for_excluded_hosts() {
        let settings = of([
            ("https_proxy", "http://secure"),
            ("HTTP_PROXY", "http://plain"),
            ("NO_PROXY", "internal.org, 10.0.0.0/8,.dots.org,ported:81"),
        ])
        .unwrap();
        for (text, proxy) in [
            ("https://host/", Some("http://secure")),
            ("http://host/", Some("http://plain")),
            ("https://internal.org/", None),
            ("https://a.internal.org/", None),
            ("https://notinternal.org/", Some("http://secure")),
            ("https://a.dots.org/", None),
            ("https://10.1.2.3/", None),
            ("https://11.1.2.3/", Some("http://secure")),
            ("http://ported:81/", None),
            ("http://ported:82/", Some("http://plain")),
        ] {
            assert_eq!(settings.proxy(&url(text)), proxy, "{text}");
        }
        let of_pip = of([("PIP_PROXY", "http://own"), ("NO_PROXY", "*")]).unwrap();
        assert_eq!(of_pip.proxy(&url("https://host/")), Some("http://own"));
        let nobody = of([("ALL_PROXY", "http://all"), ("no_proxy", "*")]).unwrap();
        assert_eq!(nobody.proxy(&url("https://host/")), None);
    }

    #[test]
    fn credentials_go_to_the_host_of_their_index_only() {
        let settings = of([("PIP_INDEX_URL", "https://me:p%40ss@host/simple")]).unwrap();
        let header = |text| {
            let credentials = settings.credentials(&url(text));
            credentials.map(|credentials| credentials.header())
        };
        let basic = Some("Basic bWU6cEBzcw==".to_owned());
        assert_eq!(header("https://host/files/torch.whl"), basic);
        assert_eq!(header("https://host:444/files/torch.whl"), None);
        assert_eq!(header("http://host/files/torch.whl"), None);
        assert_eq!(header("https://files.host/torch.whl"), None);
        assert!(!format!("{settings:?}").contains("ss"), "{settings:?}");
    }
}

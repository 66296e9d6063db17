//! The settings of `opatlas serve`, except for the address and the database.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};
use ipnet::IpNet;

use crate::http::ApiConfig;
use crate::http::client::{TrustedProxies, parse_network};
use crate::http::middleware::access::AuthMode;
use crate::http::middleware::hosts::{HostName, Hosts};
use crate::http::server::ConnectionLimits;
use opatlas_service::Limits;

/// Authentication and hosts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Access")]
pub(super) struct Access {
    /// What needs a token: nothing (off), changes (writes), or everything (all); by default off on
    /// loopback and writes elsewhere
    #[arg(long, env = "OPATLAS_AUTH", value_enum)]
    auth: Option<Auth>,

    /// Listen on other addresses than loopback even though --auth off lets everyone change the
    /// database
    #[arg(long, env = "OPATLAS_FORCE_OPEN")]
    force_open: bool,

    /// A site whose pages may use the API, such as https://ci.example.org; repeat for several
    #[arg(long = "cors-origin", env = "OPATLAS_CORS_ORIGINS", value_name = "ORIGIN", value_delimiter = ',', value_parser = origin)]
    cors_origins: Vec<String>,

    /// A host to answer for on any port, such as opatlas.example.org, besides loopback; repeat for
    /// several. Without tokens on loopback, the server answers for no other host by default
    #[arg(long = "allowed-host", env = "OPATLAS_ALLOWED_HOSTS", value_name = "HOST", value_delimiter = ',', value_parser = HostName::parse)]
    allowed_hosts: Vec<HostName>,

    /// The address that people reach the server by, such as https://opatlas.example.org; reports and
    /// previews of links contain it
    #[arg(long, env = "OPATLAS_PUBLIC_URL", value_name = "URL", value_parser = origin)]
    public_url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Auth {
    Off,
    Writes,
    All,
}

/// Limits of the service.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bounds")]
pub(super) struct Bounds {
    /// Requests in progress, at most half of them for one client; the server answers more with 503
    #[arg(long, env = "OPATLAS_MAX_REQUESTS", value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_requests: u32,

    /// Open connections; at the limit, the one that has been idle longest is closed for a new one
    #[arg(long, env = "OPATLAS_MAX_CONNECTIONS", value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections: u32,

    /// Open connections of one client, an IPv4 address or an IPv6 /64 network; more are closed at
    /// once
    #[arg(long, env = "OPATLAS_MAX_CLIENT_CONNECTIONS", value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_client_connections: u32,

    /// An address or network of proxies, such as 192.0.2.1 or 10.0.0.0/8; repeat for several. Their
    /// connections are not limited per client, and their X-Forwarded-For names the client
    #[arg(long = "trusted-proxy", env = "OPATLAS_TRUSTED_PROXIES", value_name = "NETWORK", value_delimiter = ',', default_values = ["127.0.0.0/8", "::1"], value_parser = parse_network)]
    trusted_proxies: Vec<IpNet>,

    /// Memory for request bodies above 64 KiB in transfer, in MiB, at most half of it for one
    /// client; the server answers more with 503
    #[arg(long, env = "OPATLAS_BODY_MEMORY", value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    body_memory: u32,

    /// Concurrent computations; by default the number of processor cores
    #[arg(long, env = "OPATLAS_WORKERS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Seconds that a request waits for a worker before the answer is 503
    #[arg(long, env = "OPATLAS_PATIENCE", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    patience: u32,

    /// Seconds that a request may take in total
    #[arg(long, env = "OPATLAS_REQUEST_TIMEOUT", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    request_timeout: u32,

    /// Seconds that a body may take to arrive before the answer is 408
    #[arg(long, env = "OPATLAS_BODY_TIMEOUT", value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    body_timeout: u32,

    /// Seconds that a connection may be without a whole request
    #[arg(long, env = "OPATLAS_IDLE_TIMEOUT", value_name = "SECONDS", default_value_t = 75, value_parser = clap::value_parser!(u32).range(1..=3600))]
    idle_timeout: u32,

    /// Seconds that a client may leave an answer unread
    #[arg(long, env = "OPATLAS_WRITE_TIMEOUT", value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    write_timeout: u32,

    /// Seconds that requests in progress may take after a stop signal
    #[arg(long, env = "OPATLAS_STOP_TIMEOUT", value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=3600))]
    stop_timeout: u32,

    /// Memory for parsed revisions, in MiB
    #[arg(long, env = "OPATLAS_SNAPSHOT_MEMORY", value_name = "MIB", default_value_t = 96, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    snapshot_memory: u32,

    /// Memory for cached answers, in MiB
    #[arg(long, env = "OPATLAS_VIEW_MEMORY", value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    view_memory: u32,

    /// Memory for all answers, cached or not yet read by clients, and for sending them, in MiB; the
    /// server answers more with 503
    #[arg(long, env = "OPATLAS_ANSWER_MEMORY", value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(64..=1_000_000))]
    answer_memory: u32,
}

impl Access {
    /// Fails if everyone on the network could change the database without `--force-open`.
    pub(super) fn mode(&self, listen: SocketAddr) -> anyhow::Result<AuthMode> {
        let loopback = is_loopback(listen);
        let auth = self
            .auth
            .unwrap_or(if loopback { Auth::Off } else { Auth::Writes });
        if auth == Auth::Off && !loopback && !self.force_open {
            bail!(
                "--auth off would let everyone who reaches {listen} change the database; use \
                 --auth writes (and `opatlas token create`), listen on 127.0.0.1, or add \
                 --force-open"
            );
        }
        Ok(match auth {
            Auth::Off => AuthMode::Off,
            Auth::Writes => AuthMode::Writes,
            Auth::All => AuthMode::All,
        })
    }
}

impl Access {
    /// Without tokens, the server must not answer pages whose host name resolves to loopback. With
    /// tokens, it answers for any name unless the operator lists them.
    fn hosts(&self, auth: AuthMode, listen: SocketAddr) -> Hosts {
        let is_open = auth != AuthMode::All && is_loopback(listen);
        if self.allowed_hosts.is_empty() && !is_open {
            Hosts::Any
        } else {
            Hosts::Only(self.allowed_hosts.clone())
        }
    }
}

fn is_loopback(listen: SocketAddr) -> bool {
    listen.ip().to_canonical().is_loopback()
}

impl Bounds {
    pub(super) fn limits(&self) -> Limits {
        let defaults = Limits::default();
        Limits {
            snapshot_bytes: mebibytes(self.snapshot_memory),
            view_bytes: mebibytes(self.view_memory),
            answer_bytes: usize::try_from(mebibytes(self.answer_memory)).unwrap_or(usize::MAX),
            workers: self.workers.map_or(defaults.workers, usize::from),
            patience: seconds(self.patience),
            ..defaults
        }
    }

    pub(super) fn api(
        &self,
        access: &Access,
        listen: SocketAddr,
        auth: AuthMode,
        log_sample: u32,
    ) -> ApiConfig {
        ApiConfig {
            request_timeout: seconds(self.request_timeout),
            body_timeout: seconds(self.body_timeout),
            max_requests: self.max_requests as usize,
            body_budget: usize::try_from(mebibytes(self.body_memory)).unwrap_or(usize::MAX),
            auth,
            hosts: access.hosts(auth, listen),
            cors_origins: access.cors_origins.clone(),
            public_url: access.public_url.clone(),
            log_sample,
            ..ApiConfig::default()
        }
    }

    pub(super) fn connections(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: self.max_connections as usize,
            per_client: self.max_client_connections as usize,
            trusted: TrustedProxies(self.trusted_proxies.clone()),
            idle: seconds(self.idle_timeout),
            write: seconds(self.write_timeout),
            grace: seconds(self.stop_timeout),
        }
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}

fn mebibytes(count: u32) -> u64 {
    u64::from(count) << 20
}

/// `localhost` is 127.0.0.1. Other names are not resolved, because their address may change.
pub(super) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let numeric = match text.split_once(':') {
        Some((name, port)) if name.eq_ignore_ascii_case("localhost") => {
            format!("{}:{port}", Ipv4Addr::LOCALHOST)
        }
        _ => text.to_owned(),
    };
    numeric.parse().map_err(|_| {
        "write an IP address and a port, such as 127.0.0.1:8080, [::1]:8080 or localhost:8080; \
         0.0.0.0:8080 listens on all addresses"
            .to_owned()
    })
}

fn origin(text: &str) -> Result<String, String> {
    let site = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match site {
        Some(site) if !site.is_empty() && !site.contains(['/', '*', ' ']) => Ok(text.to_owned()),
        _ => Err("an origin has the form https://ci.example.org, without a path".to_owned()),
    }
}

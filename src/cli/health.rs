//! `opatlas serve --health`: asks a running server whether it is ready.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use opatlas_source::visible::line;
use ureq::Agent;

const PATIENCE: Duration = Duration::from_secs(5);
const MAX_ANSWER: u64 = 64 << 10;

/// Asks the server that listens on an address of this machine, and prints what it says.
pub(super) fn ask(listen: SocketAddr) -> ExitCode {
    let url = format!("http://{}/readyz", reachable(listen));
    match answer(&url) {
        Ok(text) => {
            println!("{}", line(text.trim()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {url}: {error}");
            ExitCode::from(1)
        }
    }
}

fn answer(url: &str) -> Result<String, ureq::Error> {
    let config = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        // The server is on this machine.
        .proxy(None);
    let agent: Agent = config.build().into();
    let mut response = agent.get(url).call()?;
    response
        .body_mut()
        .with_config()
        .limit(MAX_ANSWER)
        .read_to_string()
}

/// A server that listens on all addresses answers on loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_reached_on_loopback() {
        for (listen, reached) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), reached);
        }
    }
}

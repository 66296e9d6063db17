//! The client of a request, for limits per client.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// The address to count by. For IPv6 it is the /64 network, because most hosts own one.
    pub address: IpAddr,
    /// Whether it is a trusted proxy that has not named its own client.
    pub is_proxy: bool,
}

impl Client {
    /// The client, unless it is a proxy, which has no limits.
    #[must_use]
    pub fn unless_proxy(self) -> Option<IpAddr> {
        (!self.is_proxy).then_some(self.address)
    }
}

fn limited(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) >> 64 << 64).into(),
        address => address,
    }
}

/// The networks of trusted proxies, which have no limits and whose `X-Forwarded-For` is believed.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client that opened a connection.
    #[must_use]
    pub fn peer(&self, address: IpAddr) -> Client {
        Client {
            address: limited(address),
            is_proxy: self.contains(address),
        }
    }

    /// The client of a request that came from `peer`: the last address in `X-Forwarded-For` that is
    /// not a proxy's.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let mut client = self.peer(peer);
        let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
        let mut entries = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        while client.is_proxy
            && let Some(entry) = entries.next()
            && let Ok(text) = std::str::from_utf8(entry.trim_ascii())
            && let Ok(address) = text.parse()
        {
            client = self.peer(address);
        }
        client
    }
}

/// Reads `192.0.2.1`, `192.0.2.0/24` or `2001:db8::/32`. The error describes the expected form.
pub fn parse_network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).map_err(|_| {
        "write an address or a network, such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(peer: &str, forwarded: &[&'static str]) -> String {
        let trusted = ["127.0.0.0/8", "10.0.0.1", "::1"];
        let trusted = TrustedProxies(trusted.map(|text| parse_network(text).unwrap()).into());
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let client = trusted.client(peer.parse().unwrap(), &headers);
        client.address.to_string()
    }

    #[test]
    fn only_proxies_name_their_clients() {
        for (peer, forwarded, expected) in [
            ("192.0.2.1", &["198.51.100.7"][..], "192.0.2.1"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7, 10.0.0.1"], "198.51.100.7"),
            ("::1", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7, unknown"], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.7, , 10.0.0.1"], "10.0.0.1"),
        ] {
            assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn a_proxy_that_names_no_client_is_one_itself() {
        let trusted = TrustedProxies(vec![parse_network("10.0.0.0/8").unwrap()]);
        let is_proxy = |text: &str| trusted.peer(text.parse().unwrap()).is_proxy;
        assert!(is_proxy("10.1.2.3") && is_proxy("::ffff:10.1.2.3"));
        assert!(!is_proxy("127.0.0.1") && !is_proxy("::1"));
    }

    #[test]
    fn a_host_of_ipv6_is_one_client() {
        assert_eq!(client("2001:db8:1:2:3::1", &[]), "2001:db8:1:2::");
        assert_eq!(client("2001:db8:1:2::ffff", &[]), "2001:db8:1:2::");
        assert_eq!(client("2001:db8:1:3::1", &[]), "2001:db8:1:3::");
        assert_eq!(client("::ffff:192.0.2.1", &[]), "192.0.2.1");
    }

    #[test]
    fn a_network_is_an_address_or_has_a_prefix() {
        assert_eq!(parse_network("192.0.2.1").unwrap().prefix_len(), 32);
        for wrong in ["", "localhost", "192.0.2.1/33", "192.0.2.1:80", "none"] {
            assert!(parse_network(wrong).is_err(), "{wrong}");
        }
    }
}

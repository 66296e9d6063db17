//! Which hosts are served where no token is needed: names that others have made to resolve to
//! loopback are not.

use opatlas::http::ApiConfig;
use opatlas::http::middleware::hosts::{HostName, Hosts};
use opatlas_service::Limits;

use crate::api::harness::{SMALL, Server};

async fn server(hosts: &[&str]) -> Server {
    let open = Server::small().await;
    let hosts = hosts.iter().map(|host| HostName::parse(host).unwrap());
    let config = ApiConfig {
        hosts: Hosts::Only(hosts.collect()),
        ..ApiConfig::default()
    };
    open.configured(config)
}

#[tokio::test]
async fn a_rebound_name_reads_and_writes_nothing() {
    let server = server(&[]).await;
    let revision = server.get("/v1/projects/p/revisions/2.9.0");
    let revision = revision.header("host", "localhost").send().await.ok();
    let kept = format!(
        "/v1/projects/p/revisions/{}/operators",
        revision["revision"].as_str().unwrap()
    );
    let reads = [
        "/",
        "/healthz",
        "/v1/projects",
        "/v1/projects/p/revisions/2.9.0",
        "/no/such/page",
        &kept,
    ];
    // Twice, so that answers that are kept for a second are there to be given.
    for read in reads.into_iter().chain(reads) {
        let own = server.get(read).header("host", "127.0.0.1:8080");
        assert!([200, 404].contains(&own.unchecked().await.status.as_u16()));
        for other in [
            "evil.example",
            "evil.example:8080",
            "127.0.0.1.evil.example",
        ] {
            let asked = server.get(read).header("host", other);
            let answer = asked.unchecked().await;
            answer.problem(403, "forbidden");
        }
        server
            .get(read)
            .unchecked()
            .await
            .problem(400, "malformed-request");
        let twice = server.get(read).header("host", "127.0.0.1");
        let twice = twice.header("host", "evil.example").unchecked().await;
        twice.problem(400, "malformed-request");
    }
    let write = server.post("/v1/projects/p/revisions").yaml(SMALL);
    let write = write.header("host", "evil.example:8080");
    let write = write.header("origin", "http://evil.example:8080");
    write.send().await.problem(403, "forbidden");
}

#[tokio::test]
async fn named_hosts_are_served() {
    let server = server(&["opatlas.example.org"]).await;
    for host in ["opatlas.example.org", "OPATLAS.example.org:8443", "[::1]:1"] {
        let asked = server.get("/v1/projects").header("host", host);
        assert_eq!(asked.send().await.status, 200, "{host}");
    }
    let asked = server.get("/v1/projects").header("host", "www.example.org");
    asked.send().await.problem(403, "forbidden");
}

/// By default the hosts are those that the operator knows: only `opatlas serve` restricts them.
#[tokio::test]
async fn without_a_list_every_host_is_served() {
    let server = Server::with(Limits::default(), ApiConfig::default()).await;
    let asked = server.get("/v1/projects").header("host", "anything:1");
    assert_eq!(asked.send().await.status, 200);
}

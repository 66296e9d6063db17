//! A server on loopback without tokens: which hosts it answers under, over HTTP/1.1 and HTTP/2, and
//! what becomes of it when its database file goes away.
#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use bytes::Bytes;

use crate::common::served::Served;

const ONE: &str = "- func: one(Tensor self) -> Tensor\n";

fn database(folder: &tempfile::TempDir) -> String {
    format!("sqlite://{}", folder.path().join("opatlas.db").display())
}

fn address(server: &Served) -> String {
    server.url.strip_prefix("http://").unwrap().to_owned()
}

/// The status of the answer to a request with these lines after the first.
fn ask(server: &Served, target: &str, headers: &str) -> u16 {
    let mut stream = TcpStream::connect(address(server)).unwrap();
    write!(
        stream,
        "{target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap();
    status.parse().unwrap()
}

#[test]
fn only_loopback_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(&database(&folder));
    let get = "GET /v1/projects";
    for own in ["127.0.0.1", "localhost:1", "[::1]:8080", "127.1.2.3"] {
        assert_eq!(ask(&server, get, &format!("Host: {own}\r\n")), 200, "{own}");
    }
    for other in ["evil.example", "10.0.0.1", "localhost.evil.example"] {
        let host = format!("Host: {other}\r\n");
        assert_eq!(ask(&server, get, &host), 403, "{other}");
        assert_eq!(ask(&server, "GET /", &host), 403, "{other}");
        let write = format!(
            "{host}Origin: http://{other}\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
        );
        assert_eq!(ask(&server, "POST /v1/projects", &write), 403, "{other}");
    }
    assert_eq!(ask(&server, get, ""), 400);
    let twice = "Host: localhost\r\nHost: evil.example\r\n";
    assert_eq!(ask(&server, get, twice), 400);
    let absolute = "GET http://evil.example/v1/projects";
    assert_eq!(ask(&server, absolute, "Host: evil.example\r\n"), 403);
    assert_ne!(ask(&server, absolute, "Host: localhost\r\n"), 200);
}

#[test]
fn hosts_that_are_named_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = ["--allowed-host", "opatlas.example.org,10.0.0.1"];
    let server = Served::start_with(&database(&folder), &hosts);
    for (host, status) in [
        ("opatlas.example.org", 200),
        ("10.0.0.1:80", 200),
        ("localhost", 200),
        ("evil.example", 403),
    ] {
        let asked = ask(&server, "GET /v1/projects", &format!("Host: {host}\r\n"));
        assert_eq!(asked, status, "{host}");
    }
    for wrong in ["http://a", "a:80", "a/b", ""] {
        let output = Served::command(&database(&folder), &["--allowed-host", wrong]);
        let output = { output }.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

/// Reading needs no token with `--auth writes`, so a page that got a name of its own could read.
#[test]
fn hosts_count_where_reading_needs_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let get = "GET /v1/projects";
    let (own, other) = ("Host: localhost\r\n", "Host: evil.example\r\n");
    let server = Served::start_with(&database(&folder), &["--auth", "writes"]);
    assert_eq!(ask(&server, get, own), 200);
    assert_eq!(ask(&server, get, other), 403);
    assert_eq!(ask(&server, "GET /", other), 403);
    let named = ["--auth", "writes", "--allowed-host", "evil.example"];
    let server = Served::start_with(&database(&folder), &named);
    assert_eq!(ask(&server, get, other), 200);
    // Where reading needs a token, a page has none.
    let server = Served::start_with(&database(&folder), &["--auth", "all"]);
    assert_eq!(ask(&server, get, other), 401);
    assert_eq!(ask(&server, "GET /healthz", other), 200);
}

/// Posts a project over HTTP/2 and gives the status.
async fn post(server: &Served, authority: &str, name: &str, headers: &[(&str, &str)]) -> u16 {
    let stream = tokio::net::TcpStream::connect(address(server))
        .await
        .unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let mut request = axum::http::Request::post(format!("http://{authority}/v1/projects"))
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(()).unwrap();
    let (answer, mut body) = client.send_request(request, false).unwrap();
    let project = format!("{{\"name\": \"{name}\"}}");
    // What is refused by its head may be over before its body is sent.
    let _ = body.send_data(Bytes::from(project), true);
    answer.await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_is_judged_by_its_authority() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(&database(&folder));
    let (own, page) = (address(&server), server.url.clone());
    assert_eq!(post(&server, &own, "a", &[("origin", &page)]).await, 201);
    assert_eq!(post(&server, &own, "b", &[]).await, 201);
    for headers in [
        &[("origin", "null")][..],
        &[("origin", "http://evil.example")],
        &[("origin", "http://localhost:1")],
        &[("sec-fetch-site", "cross-site")],
        &[("origin", &page), ("origin", "http://evil.example")],
    ] {
        assert_eq!(post(&server, &own, "c", headers).await, 403, "{headers:?}");
    }
    let evil = "evil.example:8080";
    let origin = ("origin", "http://evil.example:8080");
    assert_eq!(post(&server, evil, "c", &[origin]).await, 403);
    assert_ne!(post(&server, evil, "c", &[("host", &own)]).await, 201);
    assert_ne!(post(&server, &own, "c", &[("host", evil)]).await, 201);
}

#[test]
fn a_deleted_database_takes_nothing_in() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(&database(&folder));
    server.project("p");
    assert_eq!(server.ingest("p", "label=main", ONE).status, 201);
    assert_eq!(server.get("/readyz").status, 200);
    for file in ["opatlas.db", "opatlas.db-wal", "opatlas.db-shm"] {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
    let two = "- func: two(Tensor self) -> Tensor\n";
    let refused = server.ingest("p", "label=other", two);
    let problem = refused.problem(503, "store-unavailable");
    assert!(
        problem["detail"].as_str().unwrap().contains("deleted"),
        "{problem}"
    );
    let ready = server.get("/readyz").problem(503, "store-unavailable");
    assert!(
        ready["detail"].as_str().unwrap().contains("deleted"),
        "{ready}"
    );
    assert_eq!(server.get("/healthz").status, 200);
    // No empty one takes its place.
    assert!(!folder.path().join("opatlas.db").exists());
}

#[test]
fn a_replaced_database_is_neither_written_nor_read() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (
        folder.path().join("opatlas.db"),
        folder.path().join("other.db"),
    );
    {
        let server = Served::start(&format!("sqlite://{}", other.display()));
        server.project("p");
        server.project("of-the-other");
    }
    let server = Served::start(&database(&folder));
    server.project("p");
    assert_eq!(server.ingest("p", "label=main", ONE).status, 201);
    std::fs::rename(&other, &own).unwrap();
    let two = "- func: two(Tensor self) -> Tensor\n";
    let refused = server.ingest("p", "label=other", two);
    let problem = refused.problem(503, "store-unavailable");
    assert!(
        problem["detail"].as_str().unwrap().contains("replaced"),
        "{problem}"
    );
    server.get("/readyz").problem(503, "store-unavailable");
    for _ in 0..20 {
        let listed = server.get("/v1/projects");
        assert!(!listed.body.contains("of-the-other"), "{listed:?}");
    }
}

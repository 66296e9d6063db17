//! Connections that hold on to the server: silent, slow, or too many of one client.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::served::{self, Served};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// What a client sends that never sends a whole request.
const SILENT: [&[u8]; 6] = [
    b"",
    b"P",
    b"PRI * HTTP/2.0\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    PREFACE,
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
];

fn served(arguments: &[&str]) -> (tempfile::TempDir, Served) {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let server = Served::start_with(&database, arguments);
    (folder, server)
}

/// How many connections to open: a few, or with `OPATLAS_HOSTILE=all` as many as from outside.
fn many(few: usize, all: usize) -> usize {
    match std::env::var("OPATLAS_HOSTILE").is_ok_and(|wanted| wanted == "all") {
        true => all,
        false => few,
    }
}

/// Connects from an address of loopback, and sends the beginning of what a client says.
fn connect_from(server: &Served, client: Ipv4Addr, begin: &[u8]) -> TcpStream {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().build().unwrap();
    let address: SocketAddr = server.url["http://".len()..].parse().unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((client, 0).into()).unwrap();
        socket.connect(address).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).unwrap();
    let mut stream = stream;
    // The server may have closed it already.
    let _ = stream.write_all(begin);
    stream
}

fn connect(server: &Served, begin: &[u8]) -> TcpStream {
    connect_from(server, Ipv4Addr::LOCALHOST, begin)
}

/// Reads until the server closes the connection.
fn read_to_end(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    if let Err(error) = stream.read_to_end(&mut all) {
        let kind = error.kind();
        assert_eq!(kind, std::io::ErrorKind::ConnectionReset, "still open");
    }
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn connections_without_a_request_end_at_the_idle_timeout() {
    let (_folder, server) = served(&["--idle-timeout", "1"]);
    let mut silent: Vec<_> = SILENT.iter().map(|sent| connect(&server, sent)).collect();
    for stream in &mut silent {
        assert!(!read_to_end(stream).contains("200 OK"));
    }
    // One that was answered, too.
    let mut idle = connect(&server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(read_to_end(&mut idle).contains("200 OK"));
}

#[test]
fn an_http2_connection_that_only_pings_is_idle() {
    let (_folder, server) = served(&["--idle-timeout", "1"]);
    let mut stream = connect(&server, PREFACE);
    let wait = Some(Duration::from_millis(100));
    stream.set_read_timeout(wait).unwrap();
    let is_closed = (0..300).any(|_| {
        let sent = stream.write_all(b"\0\0\x08\x06\0\0\0\0\0pingpong");
        let is_late = |error: &std::io::Error| {
            use std::io::ErrorKind::{TimedOut, WouldBlock};
            matches!(error.kind(), WouldBlock | TimedOut)
        };
        let read = stream.read(&mut [0; 1024]);
        let is_read = read.as_ref().is_ok_and(|count| *count > 0);
        std::thread::sleep(Duration::from_millis(if is_read { 100 } else { 0 }));
        sent.is_err() || !is_read && !read.as_ref().is_err_and(is_late)
    });
    assert!(is_closed, "pings keep it open");
}

#[test]
fn silent_connections_make_room_for_others() {
    let limit = many(60, 4096).to_string();
    let (_folder, server) = served(&["--max-connections", &limit]);
    let mut silent = Vec::new();
    for at in 0..many(240, 15_000) {
        silent.push(connect(&server, SILENT[at % SILENT.len()]));
    }
    for _ in 0..5 {
        assert_eq!(server.get("/healthz").status, 200);
        assert_eq!(server.get("/v1/projects").status, 200);
    }
    assert!(peak(server.id()) < 1024, "{} MiB", peak(server.id()));
    drop(silent);
}

#[test]
fn the_oldest_idle_connection_makes_room() {
    let (_folder, server) = served(&["--max-connections", "2"]);
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut first = connect(&server, request);
    first.read_exact(&mut [0; 12]).unwrap();
    let mut silent = connect(&server, b"P");
    let mut third = connect(&server, request);
    third.read_exact(&mut [0; 12]).unwrap();
    assert_eq!(read_to_end(&mut silent), "");
    let mut fourth = connect(&server, request);
    fourth.read_exact(&mut [0; 12]).unwrap();
    assert!(read_to_end(&mut first).contains("ok"));
    third.write_all(request).unwrap();
    third.read_exact(&mut [0; 12]).unwrap();
}

#[test]
fn health_is_answered_while_slow_bodies_take_all_requests() {
    let limits = ["--max-requests", "8", "--max-connections", "60"];
    let (_folder, server) = served(&limits);
    let slow = b"POST /v1/validate HTTP/1.1\r\nHost: localhost\r\n\
                 Content-Type: application/yaml\r\nContent-Length: 1000\r\n\r\n- func";
    let bodies: Vec<_> = (0..many(240, 15_000))
        .map(|_| connect(&server, slow))
        .collect();
    server.until("/v1/projects", |answer| answer.status == 503);
    for _ in 0..5 {
        assert_eq!(server.get("/healthz").status, 200);
    }
    drop(bodies);
}

#[test]
fn a_client_has_a_limit_of_connections() {
    let limits = ["--max-client-connections", "5"];
    let one = Ipv4Addr::new(127, 0, 0, 2);
    let (_folder, server) = served(&[&limits[..], &["--trusted-proxy", "192.0.2.1"]].concat());
    let mut own: Vec<_> = (0..5).map(|_| connect_from(&server, one, b"")).collect();
    let mut further = connect_from(&server, one, b"");
    assert_eq!(read_to_end(&mut further), "", "it is closed at once");
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    for stream in &mut own {
        stream.write_all(request).unwrap();
        assert!(read_to_end(stream).contains("200 OK"));
    }
    assert_eq!(server.get("/healthz").status, 200, "others are served");
    // Loopback is a trusted proxy by default, and has no limit.
    let (_folder, server) = served(&limits);
    let mut own: Vec<_> = (0..20).map(|_| connect_from(&server, one, b"")).collect();
    for stream in &mut own {
        stream.write_all(request).unwrap();
        assert!(read_to_end(stream).contains("200 OK"));
    }
}

/// A body of 1 MiB of which the last byte does not come.
fn unfinished(server: &Served, client: Ipv4Addr, header: &str) -> TcpStream {
    let bytes = 1 << 20;
    let mut sent = format!(
        "POST /v1/validate HTTP/1.1\r\nHost: localhost\r\n{header}\
         Content-Type: application/yaml\r\nContent-Length: {bytes}\r\n\r\n"
    );
    sent.push_str(&"#".repeat(bytes - 1));
    connect_from(server, client, sent.as_bytes())
}

/// The status of the answer to a body of this many bytes.
fn validate(server: &Served, client: Ipv4Addr, header: &str, bytes: usize) -> u16 {
    let body = "#".repeat(bytes);
    let sent = format!(
        "POST /v1/validate HTTP/1.1\r\nHost: localhost\r\n{header}Connection: close\r\n\
         Content-Type: application/yaml\r\nContent-Length: {bytes}\r\n\r\n{body}"
    );
    let answer = read_to_end(&mut connect_from(server, client, sent.as_bytes()));
    let status = answer.split(' ').nth(1).unwrap_or_default();
    status.parse().unwrap_or_else(|_| panic!("{answer}"))
}

#[test]
fn unfinished_bodies_of_one_client_leave_room_for_others() {
    let [one, two, other] = [2, 3, 4].map(|last| Ipv4Addr::new(127, 0, 0, last));
    let forwarded = |last: u8| format!("X-Forwarded-For: 198.51.100.{last}\r\n");
    let none = String::new();
    for (attackers, others) in [
        ([(one, none.clone()), (two, none.clone())], (other, none)),
        // The same behind a proxy.
        (
            [(one, forwarded(1)), (one, forwarded(2))],
            (one, forwarded(3)),
        ),
    ] {
        let (_folder, server) = served(&["--body-memory", "8", "--body-timeout", "60"]);
        let (client, header) = &others;
        let mut bodies = Vec::new();
        for (address, name) in &attackers {
            let large = 2 << 20;
            assert_eq!(validate(&server, *client, header, large), 200);
            // Of bodies that come at the same time, each may be the one that is too much.
            let is_full = |_| {
                bodies.push(unfinished(&server, *address, name));
                validate(&server, *address, name, large) == 503
            };
            assert!((0..100).any(is_full));
            assert_eq!(validate(&server, *address, name, 40), 200);
            assert_eq!(validate(&server, *client, header, 60_000), 200);
        }
        // Two clients together have all room for large bodies, but none of that for small ones.
        let is_full = |at: usize| {
            let (address, name) = &attackers[at % 2];
            bodies.push(unfinished(&server, *address, name));
            validate(&server, *client, header, 3 << 20) == 503
        };
        assert!((0..100).any(is_full));
        assert_eq!(validate(&server, *client, header, 60_000), 200);
    }
}

/// The most memory that a process ever had, in MiB.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.map_or(0, |text| text.trim().parse::<u64>().unwrap() >> 10)
}

/// A revision whose lists have megabytes of text.
fn long(prefix: &str) -> String {
    let line = |at| format!("- func: {prefix}{at}(Tensor self, int n=1) -> Tensor\n");
    (0..3000).map(line).collect()
}

#[test]
fn streams_that_nobody_reads_hold_little() {
    let (_folder, server) = served(&["--answer-memory", "64", "--write-timeout", "120"]);
    server.project("p");
    for name in ["one", "two"] {
        let query = format!("label={name}");
        let stored = served::ingest(&server.url, "p", &query, &long(name)).unwrap();
        assert_eq!(stored.status, 201);
    }
    let revision = "/v1/projects/p/revisions/one";
    for (path, accept) in [
        (format!("{revision}/operators"), "application/x-ndjson"),
        (format!("{revision}/signatures"), "application/x-ndjson"),
        (
            "/v1/projects/p/compare/one...two".into(),
            "application/json",
        ),
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\
             Accept-Encoding: identity\r\n\r\n"
        );
        let text = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        let is_served = |client| {
            let answer = read_to_end(&mut connect_from(&server, client, text.as_bytes()));
            answer.len() > 1 << 20 && answer.ends_with("\r\n0\r\n\r\n")
        };
        let [own, other] = [1, 2].map(|last| Ipv4Addr::new(127, 0, 0, last));
        // The answer is made once, for all.
        assert!(is_served(own), "{path}");
        let before = peak(server.id());
        let unread: Vec<_> = (0..many(200, 4000))
            .map(|_| connect(&server, request.as_bytes()))
            .collect();
        // Each has the first bytes of an answer, or of a refusal.
        let refused = unread.iter().filter(|stream| {
            let mut status = [0; 12];
            let _ = stream.peek(&mut status);
            assert_eq!(server.get("/healthz").status, 200);
            status.ends_with(b"503")
        });
        let refused = refused.count();
        assert!((1..unread.len()).contains(&refused), "{path}: {refused}");
        let grown = peak(server.id()) - before;
        assert!(grown < 64 + unread.len() as u64 / 16, "{path}: {grown} MiB");
        let refusal = read_to_end(&mut connect_from(&server, own, text.as_bytes()));
        assert!(refusal.contains("retry-after: 2"), "{path}: {refusal}");
        // Another client is not refused.
        assert!(is_served(other), "{path}");
        drop(unread);
        // Their memory is free again.
        assert!((0..500).any(|_| is_served(own)), "{path}");
    }
}

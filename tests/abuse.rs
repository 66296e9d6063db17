//! Hostile input over real connections, on both databases: nothing fails, nothing leaks, and what is
//! stored comes back as it was given.
#![cfg(unix)]

use crate::common::postgres;
use crate::common::served;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::common::served::Served;
use serde_json::{Value, json};

/// Texts that mean something to SQL, shells, HTML, Markdown, terminals, logs or headers.
const TEXTS: [&str; 22] = [
    "'; DROP TABLE projects; --",
    "\" OR 1=1 --",
    "%' AND 1=CAST((SELECT version()) AS int) --",
    "$1 :name ? {0} %s",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) ![y](http://evil/)",
    "| a | b |\n|---|---|",
    "```\n</code></pre>",
    "@everyone #1 :tada:",
    "a\r\nSet-Cookie: x=1\r\n\r\n<html>",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "2026-11-21T00:00:00Z ERROR forged line\n",
    "../../../../etc/passwd",
    "..\\..\\windows\\system32",
    "C:\\CON",
    "$(id) `id` ; id | id & id",
    "\u{202e}dlrow\u{2066}\u{200b}",
    "\u{feff}e\u{301}\u{1F468}\u{200D}\u{1F469}",
    "{{7*7}} ${7*7} #{7*7}",
    "-f --help",
    "\u{1}\u{7f}\u{85}\u{2028}",
];

/// A run of the checks on each database.
async fn everywhere(check: fn(&Served)) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    check(&Served::start(&url));
    if let Some(cluster) = postgres::shared() {
        check(&Served::start(&cluster.database().await));
    }
}

/// Percent-encodes every byte, so that any text is one part of a path or a query.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

fn expect_refused_or_served(answer: &served::Answer, what: &str) {
    assert!(answer.status < 500, "{what}: {answer:?}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{what}");
    assert_eq!(answer.header("set-cookie"), "", "{what}");
    if answer.status >= 400 {
        assert_eq!(
            answer.header("content-type"),
            "application/problem+json",
            "{what}"
        );
        let problem = answer.value();
        assert_eq!(problem["status"], answer.status, "{what}");
        let shown = problem["detail"].as_str().unwrap();
        assert!(shown.len() < 4000, "{what}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_in_paths_and_queries_find_nothing_and_break_nothing() {
    everywhere(|server| {
        server.project("p");
        let small = "- func: f(Tensor self) -> Tensor\n";
        assert_eq!(server.ingest("p", "label=main", small).status, 201);
        let revision = "/v1/projects/p/revisions/main";
        for text in TEXTS.iter().copied().chain(["\0", "a\0b", "\u{fffd}"]) {
            let text = encoded(text);
            for path in [
                format!("/v1/projects/{text}"),
                format!("/v1/projects/p/revisions/{text}"),
                format!("/v1/projects/p/labels/{text}"),
                format!("{revision}/files/{text}"),
                format!("{revision}/files/backends/{text}"),
                format!("{revision}/operators/{text}"),
                format!("{revision}/operators/{text}/dispatch"),
                format!("{revision}/operators/f/dispatch?key={text}"),
                format!("{revision}/operators/f/dispatch?with={text}"),
                format!("{revision}/keys/{text}"),
                format!("{revision}/operators?q={text}"),
                format!("{revision}/operators?tag={text}&namespace={text}"),
                format!("{revision}/operators?cursor={text}"),
                format!("{revision}/findings?rule={text}"),
                format!("/v1/projects/p/compare/{text}...{text}"),
                format!("/v1/projects/p/operators/{text}/history"),
                format!("/v1/projects?cursor={text}"),
                format!("/v1/releases/{text}"),
                format!("/v1/rules/{text}"),
                format!("/problems/{text}"),
                format!("/{text}"),
            ] {
                expect_refused_or_served(&server.get(&path), &path);
            }
            let ingest = server.ingest("p", &format!("label={text}&release={text}"), small);
            expect_refused_or_served(&ingest, &text);
            assert!(ingest.status >= 400, "{ingest:?}");
        }
        // All is as before.
        let labels = server.get("/v1/projects/p/labels").value();
        assert_eq!(
            labels["items"].as_array().map(Vec::len),
            Some(1),
            "{labels}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_that_are_stored_come_back_as_they_were() {
    everywhere(|server| {
        for (at, text) in TEXTS.iter().enumerate() {
            let body = json!({"name": format!("p{at}"), "description": text});
            let made = server.post_json("/v1/projects", &body);
            assert_eq!(made.status, 201, "{made:?}");
            let read = server.get(&format!("/v1/projects/p{at}"));
            assert_eq!(read.value()["description"], *text);
            assert_eq!(read.header("content-type"), "application/json");
            let name = server.post_json("/v1/projects", &json!({"name": text}));
            name.problem(400, "invalid-name");
            let file = json!({"files": {"native_functions.yaml": "[]", (*text): "x"}});
            let path = format!("/v1/projects/p{at}/revisions");
            server
                .post_json(&path, &file)
                .problem(400, "malformed-bundle");
            let backend = format!("backends/{text}.yaml");
            let file = json!({"files": {"native_functions.yaml": "[]", (backend): "x"}});
            server
                .post_json(&path, &file)
                .problem(400, "malformed-bundle");
            // In a comment and in a field of an entry.
            let quoted = serde_json::to_string(text).unwrap();
            let yaml = format!("- func: f(Tensor self) -> Tensor\n  python_module: {quoted}\n");
            let ingested = server.ingest(&format!("p{at}"), "label=main", &yaml);
            assert!([200, 201, 422].contains(&ingested.status), "{ingested:?}");
            if ingested.status == 201 {
                let path = format!("{path}/main/files/native_functions.yaml");
                assert_eq!(server.get(&path).body, yaml);
            }
        }
        let nul = json!({"name": "nul", "description": "a\u{0}b"});
        server
            .post_json("/v1/projects", &nul)
            .problem(400, "malformed-body");
        let listed = server.get("/v1/projects?limit=1000").value();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(TEXTS.len()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_project_shows_nothing_of_another() {
    everywhere(|server| {
        for project in ["mine", "yours"] {
            server.project(project);
        }
        let secret = "- func: secret_operator(Tensor self) -> Tensor\n";
        let own = "- func: own_operator(Tensor self) -> Tensor\n";
        let theirs = server.ingest("yours", "label=2.9.0", secret).value();
        assert_eq!(server.ingest("mine", "label=2.9.0", own).status, 201);
        let digest = theirs["digest"].as_str().unwrap();
        let short = &digest[..8];
        for path in [
            format!("/v1/projects/mine/revisions/sha256:{digest}"),
            format!("/v1/projects/mine/revisions/sha256:{short}/operators"),
            format!("/v1/projects/mine/revisions/sha256:{digest}/files/native_functions.yaml"),
            format!("/v1/projects/mine/compare/sha256:{digest}...2.9.0"),
        ] {
            let answer = server.get(&path);
            answer.problem(404, "unknown-revision");
            assert!(!answer.body.contains("secret_operator"), "{path}");
        }
        for path in [
            "/v1/projects/mine/revisions",
            "/v1/projects/mine/labels",
            "/v1/projects/mine/revisions/latest/operators?q=secret",
            "/v1/projects/mine/revisions/latest/operators/secret_operator",
        ] {
            let body = server.get(path).body;
            assert!(!body.contains(digest), "{path}: {body}");
        }
        let moved = json!({"revision": format!("sha256:{digest}")});
        server
            .put_json("/v1/projects/mine/labels/x", &moved)
            .problem(404, "unknown-revision");
        // The same bytes are both's, and one's end is not the other's.
        assert_eq!(server.ingest("mine", "", secret).status, 201);
        assert_eq!(server.delete("/v1/projects/mine").status, 204);
        let path =
            format!("/v1/projects/yours/revisions/sha256:{digest}/files/native_functions.yaml");
        assert_eq!(server.get(&path).body, secret);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_bomb_are_refused_or_read() {
    let lines = |count: usize, line: &str| line.repeat(count);
    let mut bomb = String::from("a0: &a0 [x, x]\n");
    for at in 1..40 {
        let _ = writeln!(bomb, "a{at}: &a{at} [*a{0}, *a{0}, *a{0}]", at - 1);
    }
    let bodies: Vec<String> = vec![
        bomb,
        "[".repeat(200_000),
        "{a: ".repeat(100_000),
        format!("- func: {}", "a".repeat(4_000_000)),
        format!("- func: f({}) -> ()\n", "Tensor x, ".repeat(100_000)),
        format!("- func: f(Tensor{} x) -> ()\n", "[]".repeat(100_000)),
        lines(200_000, "- \n"),
        lines(100_000, "- func: f() -> ()\n"),
        format!("- func: f() -> ()\n{}", " ".repeat(5_000_000)),
        "\u{0}\u{1}\u{2}".to_owned(),
        "%YAML 9.9\n---\n!!python/object/apply:os.system ['id']\n".to_owned(),
        "- !!binary '/////w=='\n- &a [*a]\n- <<: *a\n".to_owned(),
    ];
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let server = Served::start(&url);
    server.project("p");
    for body in &bodies {
        let answer = server.ingest("p", "", body);
        let shown: String = body.chars().take(30).collect();
        expect_refused_or_served(&answer, &shown);
        assert_eq!(server.get("/healthz").status, 200, "{shown}");
    }
}

#[test]
fn requests_that_are_none_end_with_an_error_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let server = Served::start(&url);
    let address = server.url.strip_prefix("http://").unwrap();
    let long = "a".repeat(100_000);
    let many: String = (0..500).map(|at| format!("X-{at}: y\r\n")).collect();
    let given: Vec<String> = vec![
        "\r\n\r\n\r\n".into(),
        "nonsense\r\n\r\n".into(),
        "GET / HTTP/9.9\r\n\r\n".into(),
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"),
        "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".into(),
        "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef".into(),
        "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n".into(),
        "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n".into(),
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\u{1}b\r\n\r\n".into(),
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a b\"c\r\nConnection: close\r\n\r\n".into(),
        "GET http://evil/healthz HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n".into(),
        "CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\nConnection: close\r\n\r\n".into(),
    ];
    for request in &given {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        // It may be refused before it is sent whole.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let shown: String = request.chars().take(60).collect();
        assert!(!answer.contains("HTTP/1.1 5"), "{shown}: {answer}");
        assert!(!answer.contains("a b\"c"), "{shown}: {answer}");
        assert_eq!(server.get("/healthz").status, 200, "{shown}");
    }
    let health: Value = server.get("/healthz").value();
    assert_eq!(health["status"], "ok");
}

/// The answer on a connection: its status line and everything after it, up to the end of its body.
fn read_answer(stream: &mut BufReader<TcpStream>) -> String {
    let (mut answer, mut length) = (String::new(), 0);
    loop {
        let before = answer.len();
        stream.read_line(&mut answer).unwrap();
        let line = answer[before..].to_ascii_lowercase();
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    answer + &String::from_utf8(body).unwrap()
}

/// Most clients send the whole body before they look for an answer. The refusal must reach them, and
/// where the length was announced the connection goes on.
#[test]
fn a_refusal_reaches_clients_that_send_everything_first() {
    const YAML: &str = "application/yaml";
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let server = Served::start_with(&url, &["--auth", "writes"]);
    let refused = [
        ("POST /v1/validate", YAML, 8_400_000, "413"),
        ("POST /v1/validate", YAML, 60_000_000, "413"),
        ("POST /v1/validate", "application/json", 20_000_000, "400"),
        ("POST /v1/validate", "image/png", 20_000_000, "415"),
        (
            "POST /v1/schemas/parse",
            "application/json",
            20_000_000,
            "413",
        ),
        ("POST /v1/projects", "application/json", 20_000_000, "401"),
        ("POST /v1/nothing", YAML, 20_000_000, "404"),
        ("GET /v1/validate", YAML, 20_000_000, "405"),
    ];
    for (target, media, bytes, status) in refused {
        for is_chunked in [false, true] {
            let stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap()).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(60)))
                .unwrap();
            let mut stream = BufReader::new(stream);
            let framing = match is_chunked {
                true => "Transfer-Encoding: chunked".to_owned(),
                false => format!("Content-Length: {bytes}"),
            };
            let head = format!(
                "{target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\n{framing}\r\n\r\n"
            );
            let body = "#".repeat(bytes);
            let body = match is_chunked {
                true => format!("{bytes:x}\r\n{body}\r\n0\r\n\r\n"),
                false => body,
            };
            let sent = stream.get_mut().write_all((head + &body).as_bytes());
            let shown = format!("{target}, {media}, {bytes} bytes, chunked: {is_chunked}");
            assert!(sent.is_ok(), "{shown}: {sent:?}");
            let answer = read_answer(&mut stream);
            let got = answer.split(' ').nth(1);
            assert_eq!(got, Some(status), "{shown}: {answer}");
            let again = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
            stream.get_mut().write_all(again.as_bytes()).unwrap();
            let answer = read_answer(&mut stream);
            assert!(answer.starts_with("HTTP/1.1 200"), "{shown}: {answer}");
        }
    }
}

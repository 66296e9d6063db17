//! A service that is asked to stop finishes what it took, and one that is left alone is not held up
//! by slow clients.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::served::Served;
use crate::text;

fn connect(server: &Served) -> TcpStream {
    let address = server.url.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// Sends the head of a request with a body, and returns when the server begins to read the body.
fn begin_upload(server: &Served, head: &str, length: usize) -> TcpStream {
    let mut stream = connect(server);
    write!(
        stream,
        "POST /v1/projects/p/revisions{head}\r\nExpect: 100-continue\r\n\
         Content-Type: application/yaml\r\nContent-Length: {length}\r\n\r\n"
    )
    .unwrap();
    let mut interim = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
    stream.read_exact(&mut interim).unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100"), "{interim:?}");
    stream
}

fn read_all(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is cut off ends the answer as well.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn what_was_begun_is_finished_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let mut server = Served::start(&database);
    server.project("p");
    let body = text(1);
    let (early, late) = body.split_at(body.len() / 2);
    let head = "?label=main HTTP/1.1\r\nHost: localhost";
    let mut stream = begin_upload(&server, head, body.len());
    stream.write_all(early.as_bytes()).unwrap();
    let asked = Command::new("kill")
        .args(["-TERM", &server.id().to_string()])
        .status();
    assert!(asked.unwrap().success());
    let address = server.url.strip_prefix("http://").unwrap();
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
    stream.write_all(late.as_bytes()).unwrap();
    let answer = read_all(stream);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(server.wait().code(), Some(0));
    let server = Served::start(&database);
    assert_eq!(server.get("/v1/projects/p/labels/main").status, 200);
}

#[test]
fn slow_clients_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let limits = [
        "--idle-timeout",
        "1",
        "--body-timeout",
        "1",
        "--max-connections",
        "60",
    ];
    let server = Served::start_with(&database, &limits);
    server.project("p");
    // Nothing, half a head, half a body: as many as there may be connections.
    let mut silent: Vec<_> = (0..18).map(|_| connect(&server)).collect();
    let mut heads: Vec<_> = (0..18).map(|_| connect(&server)).collect();
    for head in &mut heads {
        head.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            .unwrap();
    }
    let mut bodies: Vec<_> = (0..18).map(|_| connect(&server)).collect();
    for body in &mut bodies {
        body.write_all(
            b"POST /v1/projects/p/revisions HTTP/1.1\r\nHost: localhost\r\n\
              Content-Type: application/yaml\r\nContent-Length: 1000\r\n\r\n- func",
        )
        .unwrap();
    }
    assert_eq!(
        server.get("/v1/projects").status,
        200,
        "others are served meanwhile"
    );
    for body in bodies.drain(..) {
        let answer = read_all(body);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("request-timeout"), "{answer}");
    }
    for stream in silent.drain(..).chain(heads.drain(..)) {
        let answer = read_all(stream);
        assert!(!answer.contains("200 OK"), "{answer}");
    }
    assert_eq!(server.get("/v1/projects").status, 200);
}

#[test]
fn too_much_at_once_is_refused_and_what_was_begun_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let limits = ["--max-requests", "3", "--body-timeout", "20"];
    let server = Served::start_with(&database, &limits);
    server.project("p");
    let body = text(1);
    let (early, late) = body.split_at(10);
    let head = " HTTP/1.1\r\nHost: localhost\r\nConnection: close";
    let mut begun: Vec<_> = (0..3)
        .map(|_| begin_upload(&server, head, body.len()))
        .collect();
    for stream in &mut begun {
        stream.write_all(early.as_bytes()).unwrap();
    }
    let refused = server.get("/v1/projects");
    refused.problem(503, "busy");
    assert!(!refused.header("retry-after").is_empty());
    for mut stream in begun {
        stream.write_all(late.as_bytes()).unwrap();
        let answer = read_all(stream);
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    assert_eq!(server.get("/v1/projects").status, 200);
}

#[test]
fn heavy_work_does_not_hold_the_end_up() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let mut server = Served::start_with(&database, &["--stop-timeout", "1"]);
    // Many seconds of work on any machine. Each body is different, so no answer serves two requests.
    let asked: Vec<_> = (0..24)
        .map(|number| {
            let entry = format!(
                "- func: f{number}(Tensor self, int n=1) -> Tensor\n  dispatch:\n    CPU, CUDA, MPS: f\n"
            );
            let body = entry.repeat(20_000);
            let mut stream = connect(&server);
            write!(
                stream,
                "POST /v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\n\
                 Content-Type: application/yaml\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            stream
        })
        .collect();
    let asked_to_stop = Command::new("kill")
        .args(["-TERM", &server.id().to_string()])
        .status();
    assert!(asked_to_stop.unwrap().success());
    assert_eq!(server.wait().code(), Some(0));
    // Work that was abandoned is answered so, or its connection is cut off.
    let (mut answered, mut abandoned) = (0, 0);
    for stream in asked {
        let answer = read_all(stream);
        if answer.starts_with("HTTP/1.1 200") {
            answered += 1;
        } else {
            let is_told = answer.contains("the service is shutting down");
            assert!(answer.is_empty() || is_told, "{answer:.900}");
            abandoned += 1;
        }
    }
    assert!(abandoned > 0, "all {answered} were answered before the end");
}

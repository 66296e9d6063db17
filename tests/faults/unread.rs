//! Clients that ask and do not read: what they were answered stays within bounds, and they are cut
//! off.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::served::Served;

fn served(arguments: &[&str]) -> (tempfile::TempDir, Served) {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let server = Served::start_with(&database, arguments);
    (folder, server)
}

fn connect(server: &Served) -> TcpStream {
    let address = server.url.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(address).unwrap();
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).unwrap();
    stream
}

/// The most memory that a process ever had, in MiB.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.unwrap().trim().parse::<u64>().unwrap() >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn answers_that_nobody_reads_stay_within_their_budget() {
    let (_folder, server) = served(&[
        "--answer-memory",
        "64",
        "--workers",
        "2",
        "--patience",
        "60",
    ]);
    let body = "-\n".repeat(16 << 10);
    let asked: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = connect(&server);
            write!(
                stream,
                "POST /v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/yaml\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            stream
        })
        .collect();
    // The first byte of each answer is there when it is made, or refused.
    for stream in &asked {
        let _ = stream.peek(&mut [0]);
        assert_eq!(server.get("/healthz").status, 200);
    }
    let peak = peak(server.id());
    assert!(peak < 400, "{peak} MiB");
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The head of a GET, every field written out.
fn head(path: &str) -> Vec<u8> {
    let fields = [
        (":method", "GET"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "127.0.0.1"),
    ];
    let mut head = Vec::new();
    for (name, value) in fields {
        head.push(0);
        for text in [name, value] {
            head.push(u8::try_from(text.len()).unwrap());
            head.extend(text.as_bytes());
        }
    }
    head
}

#[test]
fn windows_that_stay_closed_are_cut_off() {
    let (_folder, server) = served(&["--write-timeout", "2"]);
    let mut stream = connect(&server);
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .unwrap();
    // SETTINGS_INITIAL_WINDOW_SIZE is 0.
    stream
        .write_all(&frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]))
        .unwrap();
    for i in 0..60 {
        let head = head("/openapi.json");
        stream.write_all(&frame(1, 5, 2 * i + 1, &head)).unwrap();
    }
    // Settings and pings are answered, so that only the answers are left unread.
    let mut frames = Vec::new();
    loop {
        let mut start = [0; 9];
        if stream.read_exact(&mut start).is_err() {
            break;
        }
        let length = u32::from_be_bytes([0, start[0], start[1], start[2]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            break;
        }
        frames.push(start[3]);
        let answer = match (start[3], start[4]) {
            (4, 0) => frame(4, 1, 0, &[]),
            (6, 0) => frame(6, 1, 0, &payload),
            _ => continue,
        };
        if stream.write_all(&answer).is_err() {
            break;
        }
    }
    let heads = frames.iter().filter(|kind| **kind == 1).count();
    assert!(heads > 0, "{frames:?}");
    // Not the end of patience here, but the end of the connection.
    let mut rest = [0];
    let end = stream.read(&mut rest);
    let is_late = |error: &std::io::Error| {
        matches!(
            error.kind(),
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
        )
    };
    assert!(!end.as_ref().is_err_and(is_late), "{end:?}");
    assert_eq!(server.get("/healthz").status, 200);
}

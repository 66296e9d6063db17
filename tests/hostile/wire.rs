//! Bytes on a connection: requests that two readers would cut differently, and floods of frames. None
//! is answered twice, and the program stays up, small and quick.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::program::{MEMORY, Program};

/// A request that must not be read out of the body of another.
const HIDDEN: &str = "GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

fn exchange(program: &Program, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(program.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(3)))
        .unwrap();
    // It may be refused before it is sent whole.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn what_two_readers_would_cut_differently_is_refused() {
    let program = Program::start();
    let heads = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 200",
        "Content-Length: 5, 200",
        "Content-Length: +5",
        "Content-Length: 0x5",
        "Content-Length: 5 5",
        "Content-Length : 5",
        "Content-Length: -1",
        "Content-Length: 99999999999999999999",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity, chunked, identity",
        "Transfer-Encoding: \x0bchunked",
        "Transfer-Encoding:\r\n chunked",
        "X: y\r\n Transfer-Encoding: chunked",
        "X: a\rTransfer-Encoding: chunked",
        "X\0: a",
        "X: a\0b",
        " X: a",
        ": a",
    ];
    for head in heads {
        let request = format!(
            "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\n{head}\r\n\r\n0\r\n\r\n{HIDDEN}"
        );
        let answer = exchange(&program, request.as_bytes());
        assert!(
            !answer.contains("/v1/hidden") && !answer.contains("unknown-route"),
            "{head:?}: {answer}"
        );
        assert!(!answer.contains("HTTP/1.1 5"), "{head:?}: {answer}");
        assert!(
            answer.matches("HTTP/1.1 ").count() <= 1,
            "{head:?}: {answer}"
        );
    }
    assert!(program.is_well());
}

#[test]
fn chunks_that_two_readers_would_cut_differently_are_refused() {
    let program = Program::start();
    let chunks = [
        "5\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "5 5\r\nhello\r\n0\r\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
        "5\r\nhelloX0\r\n\r\n",
        "5;a=\n\r\nhello\r\n0\r\n\r\n",
        "\r\n5\r\nhello\r\n0\r\n\r\n",
    ];
    for chunk in chunks {
        let request = format!(
            "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}{HIDDEN}"
        );
        let answer = exchange(&program, request.as_bytes());
        assert!(!answer.contains("unknown-route"), "{chunk:?}: {answer}");
        assert!(!answer.contains("HTTP/1.1 5"), "{chunk:?}: {answer}");
        assert!(!answer.starts_with("HTTP/1.1 2"), "{chunk:?}: {answer}");
    }
    // Extensions and trailers without end.
    let long = "a".repeat(1 << 20);
    for chunk in [
        format!("5;{long}\r\nhello\r\n0\r\n\r\n"),
        format!("0\r\nX: {long}\r\n\r\n"),
        "1;a\r\na\r\n".repeat(100_000),
    ] {
        let request = format!(
            "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"
        );
        let answer = exchange(&program, request.as_bytes());
        assert!(!answer.contains("HTTP/1.1 5"), "{answer}");
    }
    assert!(program.is_well());
}

/// The beginning of a connection of HTTP/2: the preface and empty settings.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// `GET` of a path over `http`, in the table that every connection begins with.
fn get(path: &str) -> Vec<u8> {
    let mut block = vec![0x82, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    block.extend(path.bytes());
    block.extend(b"\x01\x09localhost");
    block
}

#[test]
fn floods_of_frames_are_cut_off() {
    let program = Program::start();
    let odd = |at: u32| 2 * at + 1;
    let wanted = get("/v1/rules");
    let floods: Vec<(&str, Vec<u8>)> = vec![
        (
            "requests that are reset at once",
            (0..20_000)
                .flat_map(|at| {
                    [
                        frame(HEADERS, 5, odd(at), &wanted),
                        frame(RESET, 0, odd(at), &[0, 0, 0, 8]),
                    ]
                    .concat()
                })
                .collect(),
        ),
        (
            "requests",
            (0..20_000)
                .flat_map(|at| frame(HEADERS, 5, odd(at), &wanted))
                .collect(),
        ),
        (
            "settings",
            (0..200_000)
                .flat_map(|_| frame(SETTINGS, 0, 0, &[]))
                .collect(),
        ),
        (
            "pings",
            (0..200_000)
                .flat_map(|_| frame(PING, 0, 0, &[0; 8]))
                .collect(),
        ),
        (
            "resets of nothing",
            (0..200_000)
                .flat_map(|at| frame(RESET, 0, odd(at), &[0, 0, 0, 8]))
                .collect(),
        ),
        (
            "windows",
            (0..200_000)
                .flat_map(|_| frame(WINDOW, 0, 0, &[0, 0, 0, 1]))
                .collect(),
        ),
        (
            "windows of nothing",
            (0..200_000)
                .flat_map(|_| frame(WINDOW, 0, 0, &[0, 0, 0, 0]))
                .collect(),
        ),
        (
            "empty data",
            [
                frame(HEADERS, 4, 1, &wanted),
                (0..200_000).flat_map(|_| frame(0, 0, 1, &[])).collect(),
            ]
            .concat(),
        ),
        (
            "heads that never end",
            [
                frame(HEADERS, 1, 1, &wanted),
                (0..20_000)
                    .flat_map(|_| frame(CONTINUATION, 0, 1, &[0; 64]))
                    .collect(),
            ]
            .concat(),
        ),
        (
            "empty heads that never end",
            [
                frame(HEADERS, 1, 1, &wanted),
                (0..200_000)
                    .flat_map(|_| frame(CONTINUATION, 0, 1, &[]))
                    .collect(),
            ]
            .concat(),
        ),
        (
            "a table that grows and is used",
            [
                frame(
                    HEADERS,
                    5,
                    1,
                    &[&wanted[..], b"\x40\x01a\x7f\x81\x1e", &[b'b'; 4000]].concat(),
                ),
                (1..5_000)
                    .flat_map(|at| {
                        frame(HEADERS, 5, odd(at), &[&wanted[..], &[0xBE; 4000]].concat())
                    })
                    .collect(),
            ]
            .concat(),
        ),
        (
            "frames of unknown kinds",
            (0..200_000).flat_map(|_| frame(0xEE, 0, 0, &[])).collect(),
        ),
    ];
    for (name, frames) in floods {
        let mut stream = TcpStream::connect(program.address()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(3)))
            .unwrap();
        stream
            .set_write_timeout(Some(Duration::from_secs(3)))
            .unwrap();
        let _ = stream
            .write_all(PREFACE)
            .and_then(|()| stream.write_all(&frames));
        let mut part = [0; 65_536];
        let mut read = 0;
        while let Ok(count @ 1..) = stream.read(&mut part) {
            read += count;
            assert!(read < 256 << 20, "{name}");
        }
        drop(stream);
        assert!(program.is_well(), "{name}");
        assert!(
            program.peak() < MEMORY,
            "{name}: {} MiB",
            program.peak() >> 20
        );
    }
}

/// Streams whose answers may not be sent, on several connections at once.
#[test]
fn streams_that_may_not_be_answered_hold_little() {
    let program = Program::start();
    let closed = frame(SETTINGS, 0, 0, b"\x00\x04\x00\x00\x00\x00");
    let mut begin = PREFACE.to_vec();
    begin.extend(closed);
    for at in 0..100 {
        begin.extend(frame(HEADERS, 5, 2 * at + 1, &get("/openapi.json")));
    }
    let streams: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(program.address()).unwrap();
            let _ = stream.write_all(&begin);
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    assert!(program.is_well());
    assert!(program.peak() < MEMORY, "{} MiB", program.peak() >> 20);
    drop(streams);
}

/// Answers that nobody reads, over HTTP/1.
#[test]
fn answers_that_nobody_reads_hold_little() {
    let program = Program::start();
    let body = "-\n".repeat(32 << 10);
    let mut request = String::new();
    let _ = write!(
        request,
        "POST /v1/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let streams: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(program.address()).unwrap();
            let _ = stream.set_write_timeout(Some(Duration::from_secs(3)));
            let _ = stream.write_all(request.as_bytes());
            stream
        })
        .collect();
    program.quiet();
    assert!(program.is_well());
    assert!(program.peak() < MEMORY, "{} MiB", program.peak() >> 20);
    drop(streams);
}

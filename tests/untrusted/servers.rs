//! Servers that answer with more than they send.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::untrusted::{opatlas, run};

/// Compressed zeros.
fn zeros(bytes: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; bytes]).unwrap();
    encoder.finish().unwrap()
}

/// A server that answers every request like this.
fn server(status: &'static str, body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: \
                 {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            // Whoever asked has heard enough.
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    url
}

#[test]
fn limits_count_what_is_decompressed() {
    let folder = tempfile::tempdir().unwrap();
    let url = server("404 Not Found", zeros(5 << 20));
    let (code, said) = run(folder.path(), &["table", "add.Tensor", "--server", &url]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("limit: 4194304"), "{said}");
}

#[test]
fn a_page_of_an_index_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let url = server("200 OK", zeros(33 << 20));
    let mut command = opatlas(folder.path());
    command
        .args(["import", "torch==2.9.0"])
        .env("PIP_CONFIG_FILE", "/dev/null")
        .env("PIP_INDEX_URL", url);
    let (code, said) = crate::untrusted::said(command.output().unwrap());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("limit: 33554432"), "{said}");
}

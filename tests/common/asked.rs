//! Requests as a small server of a test reads them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;

/// A request as it arrived.
pub struct Asked {
    /// The head, line by line.
    pub head: Vec<String>,
    pub body: Vec<u8>,
}

impl Asked {
    /// Reads one with a `Content-Length`, or without a body.
    pub fn read(stream: &TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push(line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        Self { head, body }
    }
}

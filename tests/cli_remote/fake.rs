//! Small servers of the tests' own: proxies in front of the real one, and what is none at all.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::common::asked::Asked;

/// A server that answers as it is told, and keeps what it was asked.
pub struct Fake {
    /// `http://ADDRESS`
    pub url: String,
    pub heads: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Starts one; it lasts as long as the process.
    pub fn start(answer: impl Fn(Asked) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let asked = Asked::read(&stream);
                kept.lock().unwrap().push(asked.head.join("\n"));
                // Whoever asked may be gone.
                let _ = stream.write_all(&answer(asked));
            }
        });
        Self { url, heads }
    }

    /// A proxy that takes `prefix` off the paths and asks `server`.
    pub fn before(server: &str, prefix: &'static str) -> Self {
        let address = server.strip_prefix("http://").unwrap().to_owned();
        Self::start(move |asked| forward(&address, prefix, asked))
    }

    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// Asks the server behind, in a connection of its own.
pub fn forward(address: &str, prefix: &str, asked: Asked) -> Vec<u8> {
    let first = &asked.head[0];
    let Some(first) = first.contains(&format!(" {prefix}/")).then(|| {
        let path = format!(" {prefix}/");
        first.replacen(&path, " /", 1)
    }) else {
        return answer("404 Not Found", "text/html", "<h1>Nothing here</h1>", &[]);
    };
    let mut text = format!("{first}\r\nconnection: close\r\n");
    for line in &asked.head[1..] {
        if !line.to_ascii_lowercase().starts_with("connection:") {
            text.push_str(&format!("{line}\r\n"));
        }
    }
    text.push_str("\r\n");
    let mut behind = TcpStream::connect(address).unwrap();
    behind.write_all(text.as_bytes()).unwrap();
    behind.write_all(&asked.body).unwrap();
    let mut bytes = Vec::new();
    behind.read_to_end(&mut bytes).unwrap();
    bytes
}

/// An answer in bytes.
pub fn answer(status: &str, media: &str, body: &str, headers: &[&str]) -> Vec<u8> {
    let mut text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for header in headers {
        text.push_str(&format!("{header}\r\n"));
    }
    format!("{text}\r\n{body}").into_bytes()
}

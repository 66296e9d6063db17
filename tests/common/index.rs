//! A double of a package index, and wheels of torch.

use std::io::{Cursor, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::asked::Asked;

pub const OPERATORS: &str = "torchgen/packaged/ATen/native/native_functions.yaml";
pub const TAGS: &str = "torchgen/packaged/ATen/native/tags.yaml";
pub const ONE: &str = "- func: one(Tensor self) -> Tensor\n";
/// The media type of a page in JSON.
pub const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The answer of the double.
pub enum Reply {
    /// A body of this media type.
    Body(&'static str, Vec<u8>),
    /// A status with a header, such as a redirect.
    Status(&'static str, String),
    /// The first half of a body, and the rest when the file is there.
    Half(Vec<u8>, std::path::PathBuf),
}

/// A server on a free port. It lasts as long as the process.
#[derive(Clone)]
pub struct Index {
    /// `http://ADDRESS`
    pub url: String,
    asked: Arc<Mutex<Vec<Vec<String>>>>,
}

/// A wheel with these members.
pub fn wheel(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (member, text) in members {
        archive.start_file(*member, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The name of the wheel of a release.
pub fn name(version: &str) -> String {
    format!("torch-{version}-cp311-none-macosx_11_0_arm64.whl")
}

pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A page of links in HTML, with digests.
pub fn page(wheels: &[(String, Vec<u8>)]) -> String {
    let links = wheels.iter().map(|(name, bytes)| {
        let sha256 = sha256(bytes);
        format!("<a href=\"../../files/{name}#sha256={sha256}\">{name}</a><br>\n")
    });
    format!(
        "<!DOCTYPE html><html><body>\n{}</body></html>",
        links.collect::<String>()
    )
}

impl Index {
    /// Starts one that answers requests like this.
    pub fn start(answer: impl Fn(&str, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                thread::spawn(move || {
                    let stream = stream.unwrap();
                    let asked = Asked::read(&stream);
                    kept.lock().unwrap().push(asked.head.clone());
                    let path = asked.head[0].split(' ').nth(1).unwrap();
                    send(stream, answer(path, &asked));
                });
            }
        });
        Self { url, asked }
    }

    /// An index with these wheels of torch, by name.
    pub fn of(wheels: Vec<(String, Vec<u8>)>) -> Self {
        Self::start(move |path, _| serve(&wheels, path))
    }

    /// An index with one release, whose wheel has these members.
    pub fn of_release(version: &str, members: &[(&str, &str)]) -> Self {
        Self::of(vec![(name(version), wheel(members))])
    }

    /// Writes the configuration of pip into a folder, where [`Index::configure`] and commands of the
    /// tests find it.
    pub fn write_configuration(&self, folder: &Path) {
        let text = format!("[global]\nindex-url = {}/simple\n", self.url);
        std::fs::write(folder.join("pip.conf"), text).unwrap();
    }

    /// The paths that were asked for, in order.
    pub fn paths(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let path = |head: &Vec<String>| head[0].split(' ').nth(1).unwrap().to_owned();
        asked.iter().map(path).collect()
    }

    /// The value of a header of every request.
    pub fn headers(&self, name: &str) -> Vec<Option<String>> {
        let prefix = format!("{name}:");
        let asked = self.asked.lock().unwrap();
        let value = |head: &Vec<String>| {
            head.iter().find_map(|line| {
                let is_it = line.to_ascii_lowercase().starts_with(&prefix);
                is_it.then(|| line[prefix.len()..].trim().to_owned())
            })
        };
        asked.iter().map(value).collect()
    }
}

/// The answer of an index with these wheels.
pub fn serve(wheels: &[(String, Vec<u8>)], path: &str) -> Reply {
    if path == "/simple/torch/" {
        return Reply::Body("text/html", page(wheels).into_bytes());
    }
    let name = path.strip_prefix("/files/");
    let found = wheels.iter().find(|(found, _)| Some(&**found) == name);
    match found {
        Some((_, bytes)) => Reply::Body("application/octet-stream", bytes.clone()),
        None => Reply::Status("404 Not Found", String::new()),
    }
}

fn send(mut stream: TcpStream, reply: Reply) {
    let head = |media: &str, length: usize| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {media}\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n"
        )
    };
    // Whoever asked may be gone.
    let _ = match reply {
        Reply::Body(media, bytes) => {
            stream.write_all(&[head(media, bytes.len()).as_bytes(), &bytes].concat())
        }
        Reply::Status(status, header) => stream.write_all(
            format!("HTTP/1.1 {status}\r\n{header}content-length: 0\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        ),
        Reply::Half(bytes, gate) => {
            let (first, rest) = bytes.split_at(bytes.len() / 2);
            let head = head("application/octet-stream", bytes.len());
            let sent = stream.write_all(&[head.as_bytes(), first].concat());
            std::fs::write(gate.with_extension("started"), "").unwrap();
            while !gate.exists() {
                thread::sleep(Duration::from_millis(10));
            }
            sent.and_then(|()| stream.write_all(rest))
        }
    };
}

/// Lets a command know only the index in its folder, or none.
pub fn only_own_index(command: &mut Command, folder: &Path) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        if upper.starts_with("PIP_") || upper.ends_with("_PROXY") || upper == "NETRC" {
            command.env_remove(name);
        }
    }
    let own = folder.join("pip.conf");
    if own.exists() {
        command.env("PIP_CONFIG_FILE", own);
    } else {
        command.env("PIP_CONFIG_FILE", "/dev/null");
        // The port of a service that throws everything away, which nobody runs.
        command.env("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
    }
}

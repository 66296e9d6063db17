//! `opatlas serve` as its users start it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::cli::program::{opatlas, refusal};
use crate::common::index::{Index, ONE, OPERATORS, Reply, name, page, wheel};

/// A server, ended with the value.
pub struct Server {
    child: std::process::Child,
    pub address: String,
    title: String,
}

impl Server {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.rsplit("http://").next().unwrap().to_owned();
        let title = lines.next().unwrap().unwrap();
        Self {
            child,
            address,
            title,
        }
    }

    fn get(&self, path: &str) -> String {
        use std::io::Read as _;
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn localhost_is_an_address_to_listen_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = Server::start(
        opatlas(folder)
            .args(["serve", "--listen", "localhost:0"])
            .stderr(Stdio::null()),
    );
    assert!(
        server.address.starts_with("127.0.0.1:"),
        "{}",
        server.address
    );
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    for listen in ["8080", ":8080", "localhost", "opatlas.example.org:80"] {
        let said = refusal(folder, &["serve", "--listen", listen]);
        assert!(said.contains("localhost:8080"), "{listen}: {said}");
    }
}

/// The sample is there at once, and goes when the release is there.
#[test]
fn the_sample_is_served_until_the_release_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (gate, wheels) = (
        folder.join("go"),
        vec![(name("2.9.0"), wheel(&[(OPERATORS, ONE)]))],
    );
    let index = Index::start(move |path, _| match path {
        "/simple/torch/" => Reply::Body("text/html", page(&wheels).into_bytes()),
        _ => Reply::Half(wheels[0].1.clone(), gate.clone()),
    });
    index.write_configuration(folder);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--bootstrap", "2.9"];
    let revisions = "/v1/projects/pytorch/revisions";
    let server = Server::start(opatlas(folder).args(serve).stderr(Stdio::null()));
    assert!(server.title.contains("pytorch sample"), "{}", server.title);
    let answer = server.get(&format!("{revisions}/latest/operators/blend.Tensor"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    std::fs::write(folder.join("go"), "").unwrap();
    let is_fetched = || {
        let answer = server.get(&format!("{revisions}/latest/operators/one"));
        answer.starts_with("HTTP/1.1 200")
    };
    for _ in 0..6000 {
        if is_fetched() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(is_fetched());
    for _ in 0..6000 {
        if !server.get(revisions).contains("sample") {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let left = server.get(revisions);
    assert!(
        left.contains("\"2.9.0\"") && !left.contains("sample"),
        "{left}"
    );
    drop(server);
    // The next start has the release and fetches nothing.
    let server = Server::start(opatlas(folder).args(serve).stderr(Stdio::null()));
    assert!(server.title.contains("pytorch 2.9.0"), "{}", server.title);
}

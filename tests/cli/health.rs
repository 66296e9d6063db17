//! `opatlas serve --health`, as a container asks.

use std::process::Stdio;

use crate::cli::program::{opatlas, stderr, stdout};
use crate::cli::serving::Server;
use crate::common::index::{Index, Reply};

#[test]
fn a_server_is_healthy_while_it_answers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let serve = ["serve", "--listen", "0.0.0.0:0", "--auth", "all"];
    let server = Server::start(opatlas(folder).args(serve).stderr(Stdio::null()));
    let health = |listen: &str| {
        let mut command = opatlas(folder);
        command
            .args(["serve", "--health"])
            .env("OPATLAS_LISTEN", listen);
        // Nothing of the way to other servers counts.
        command.env("http_proxy", "http://127.0.0.1:9");
        command.output().unwrap()
    };
    let output = health(&server.address);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"ok\""), "{}", stdout(&output));
    let listen = server.address.clone();
    drop(server);
    let output = health(&listen);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/readyz: "), "{}", stderr(&output));
}

#[test]
fn a_server_that_is_not_ready_is_not_healthy() {
    let folder = tempfile::tempdir().unwrap();
    let busy = Index::start(|_, _| Reply::Status("503 Service Unavailable", String::new()));
    let listen = busy.url.strip_prefix("http://").unwrap();
    let asked = opatlas(folder.path())
        .args(["serve", "--health", "--listen", listen])
        .output()
        .unwrap();
    assert_eq!(asked.status.code(), Some(1));
    assert!(stderr(&asked).contains("503"), "{}", stderr(&asked));
    assert_eq!(busy.paths(), ["/readyz"]);
}

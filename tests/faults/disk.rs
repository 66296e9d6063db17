//! A disk that is full, and one that can only be read.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::served::Served;
use crate::{assert_whole, digest, text};

/// A small file system of its own; gone when it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// `None`, with the reason printed, where this user may not mount one.
    fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap().keep();
        let size = format!("size={bytes}");
        let arguments = ["-t", "tmpfs", "-o", &size, "opatlas"];
        if run("mount", &arguments, &folder) {
            return Some(Self(folder));
        }
        std::fs::remove_dir(&folder).unwrap();
        println!("skipped: this user may not mount a small file system");
        None
    }

    fn remount(&self, how: &str) -> bool {
        run("mount", &["-o", &format!("remount,{how}")], &self.0)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if run("umount", &[], &self.0) || run("umount", &["--lazy"], &self.0) {
            let _ = std::fs::remove_dir(&self.0);
        }
    }
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> bool {
    let status = Command::new(program)
        .args(arguments)
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_and_what_was_stored_stays() {
    let Some(disk) = Disk::new(4 << 20) else {
        return;
    };
    let filler = disk.0.join("filler");
    std::fs::write(&filler, vec![1; 2 << 20]).unwrap();
    let database = format!("sqlite://{}", disk.0.join("opatlas.db").display());
    let mut server = Served::start(&database);
    server.project("p");
    assert_eq!(server.get("/readyz").status, 200);
    let large = |seed: usize| -> String {
        (0..600)
            .map(|at| {
                format!(
                    "- func: op{at}.v{}(Tensor self) -> Tensor\n",
                    seed * 1000 + at
                )
            })
            .collect()
    };
    let mut acknowledged = Vec::new();
    let refused = loop {
        let text = large(acknowledged.len());
        let answer = server.ingest("p", "label=main", &text);
        if answer.status >= 300 {
            break answer;
        }
        let digest = answer.value()["digest"].as_str().unwrap().to_owned();
        acknowledged.push(opatlas_source::Digest::parse(&digest).unwrap());
        assert!(acknowledged.len() < 1000, "the disk does not fill");
    };
    refused.problem(503, "store-unavailable");
    assert!(!refused.header("retry-after").is_empty());
    assert!(!acknowledged.is_empty());
    let unready = server.get("/readyz").problem(503, "store-unavailable");
    let detail = unready["detail"].as_str().unwrap();
    assert!(detail.contains("the disk is full"), "{unready}");
    assert_eq!(server.get("/healthz").status, 200);
    let read = server.get("/v1/projects/p/revisions/main/operators?limit=1");
    assert_eq!(read.status, 200);
    // With room again it goes on by itself.
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(server.get("/readyz").status, 200);
    let answer = server.ingest("p", "label=main", &text(1));
    assert_eq!(answer.status, 201, "{answer:?}");
    acknowledged.push(digest(1));
    server.kill();
    let store = opatlas_store::open(&database).await.unwrap();
    assert_whole(&*store, "p", &acknowledged).await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_disk_is_told() {
    let Some(disk) = Disk::new(4 << 20) else {
        return;
    };
    let database = format!("sqlite://{}", disk.0.join("opatlas.db").display());
    let mut server = Served::start(&database);
    server.project("p");
    assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
    server.kill();
    if !disk.remount("ro") {
        println!("skipped: the file system cannot be made read-only");
        return;
    }
    let refused = Served::command(&database, &[]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("opatlas.db"), "{said}");
    assert!(disk.remount("rw"));
    let server = Served::start(&database);
    assert_eq!(server.get("/v1/projects/p/revisions/main").status, 200);
}

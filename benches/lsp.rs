//! The language server over a release: a keystroke until its diagnostics, and completion right after one,
//! beside peers in the same run: reading the file from nothing, and running all rules.
//!
//! Reads the release that `make releases` fetches.

use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use opatlas_lsp::{Disk, Place, Server};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use serde_json::{Value, json};

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const VERSION: &str = "2.15.0";

/// A release in a folder of its own.
struct Fetched(PathBuf);

impl Fetched {
    fn find() -> Option<Self> {
        let folder = std::env::var_os("OPATLAS_RELEASES_DIR").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cache/releases"),
            PathBuf::from,
        );
        let folder = folder.join(VERSION);
        folder
            .join(NATIVE_FUNCTIONS)
            .is_file()
            .then_some(Self(folder))
    }

    fn files(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let names = [NATIVE_FUNCTIONS, TAGS, DERIVATIVES, DEPRECATED];
        let files = names.map(|name| (name.to_owned(), self.0.join(name)));
        files.into_iter().filter(|(_, path)| path.is_file())
    }
}

impl Disk for &Fetched {
    fn place(&self, path: &Path, _: &str) -> Option<Place> {
        Some(Place {
            name: path.file_name()?.to_str()?.to_owned(),
            files: self.files().collect(),
            vendor: None,
            release: None,
        })
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        std::fs::read(path).ok()
    }

    fn before(&self, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
        Some(paths.iter().map(|path| self.read(path)).collect())
    }
}

/// An editor with the release's file of operators.
struct Editor<'f> {
    server: Server<&'f Fetched>,
    uri: String,
    version: i32,
    line: usize,
}

impl<'f> Editor<'f> {
    fn new(fetched: &'f Fetched) -> Self {
        let client = json!({"capabilities": {}});
        let client = serde_json::from_value(client).expect("a client");
        let path = fetched.0.join(NATIVE_FUNCTIONS);
        let text = std::fs::read_to_string(&path).expect("the release");
        let line = text
            .lines()
            .position(|line| line.starts_with("- func: add.Tensor("));
        let mut editor = Self {
            server: Server::new(fetched, &client),
            uri: format!("file://{}", path.display()),
            version: 0,
            line: line.expect("add.Tensor"),
        };
        let document = json!({"uri": editor.uri, "languageId": "yaml", "version": 0, "text": text});
        editor
            .server
            .notify("textDocument/didOpen", json!({"textDocument": document}));
        editor.server.diagnostics();
        editor
    }

    /// Types an `s` behind the type of the first argument, or deletes it.
    fn keystroke(&mut self) {
        let column = "- func: add.Tensor(Tensor".len();
        let removed = usize::from(self.version % 2 == 1);
        self.version += 1;
        let at = |column| json!({"line": self.line, "character": column});
        let text = ["s", ""][removed];
        let change = json!({
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"range": {"start": at(column), "end": at(column + removed)}, "text": text}],
        });
        self.server.notify("textDocument/didChange", change);
    }

    fn complete(&mut self, column: usize, below: usize) -> Value {
        let position = json!({"line": self.line + below, "character": column});
        let params = json!({"textDocument": {"uri": self.uri}, "position": position});
        self.server
            .request("textDocument/completion", params)
            .expect("an answer")
    }
}

fn of_release(c: &mut Criterion) {
    let Some(fetched) = Fetched::find() else {
        println!("skipped: release {VERSION} has not been fetched (make releases)");
        return;
    };
    let mut bundle = Bundle::default();
    for (name, path) in fetched.files() {
        bundle.insert(&name, std::fs::read(path).expect("the release"));
    }
    let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
    let mut group = c.benchmark_group(format!("language server over {VERSION}"));
    group.sample_size(40);
    group.bench_function("peer: read the files", |b| {
        b.iter(|| Catalogue::read(&bundle, Release::LATEST, None));
    });
    group.bench_function("peer: run all rules", |b| {
        b.iter(|| opatlas_rules::check(&catalogue));
    });
    let mut editor = Editor::new(&fetched);
    group.bench_function("diagnostics after a keystroke", |b| {
        b.iter(|| {
            editor.keystroke();
            editor.server.diagnostics()
        });
    });
    let column = "- func: add.Tensor(Tensor".len();
    group.bench_function("completion of a type after a keystroke", |b| {
        b.iter(|| {
            editor.keystroke();
            editor.complete(column, 0)
        });
    });
    let column = "  structured_delegate: ad".len();
    group.bench_function("completion of an operator after a keystroke", |b| {
        b.iter(|| {
            editor.keystroke();
            editor.complete(column, 2)
        });
    });
    group.finish();
}

criterion_group!(benches, of_release);
criterion_main!(benches);

//! Nothing that others wrote acts on the terminal that shows it, or on the runner of a job that
//! reads its log: every command, in every format, with every field hostile.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use opatlas_source::Digest;
use opatlas_source::visible::is_acting;
use serde_json::json;

use crate::cli_remote::fake::{self, Fake};
use crate::cli_remote::{Outcome, run};
use crate::common::folder::write;
use crate::common::git::git;
use crate::common::served;

/// What each field says: it writes the clipboard, colors, ends a line, and stops commands.
const HOSTILE: &str = "\u{1b}]52;c;cA==\u{7}\u{1b}[31m\u{7f}\u{9b}\u{202e}\u{2028}\r\n::stop-commands::x ##[add-mask]y";

/// The same in double quotes of YAML.
const YAML: &str = r"\e]52;c;cA==\a\e[31m\x7f\x9b\u202e\L\r\n::stop-commands::x ##[add-mask]y";

/// The same in double quotes of TOML.
const TOML: &str =
    r"\u001b]52;c;cA==\u0007\u001b[31m\u007f\u009b\u202e\u2028\r\n::stop-commands::x";

/// A name of a file.
const FILE: &str = "bad\u{1b}[31m\u{202e}\n::stop-commands::x.yaml";

const FINDINGS: [&str; 8] = [
    "text",
    "json",
    "markdown",
    "sarif",
    "junit",
    "github",
    "gitlab",
    "lintrunner",
];
const CHANGES: [&str; 8] = [
    "text", "json", "markdown", "csv", "sarif", "junit", "github", "gitlab",
];

/// A folder with hostile files and a database, and what was run in it.
struct Field {
    folder: tempfile::TempDir,
    commands: BTreeSet<String>,
    shown: usize,
}

impl Field {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path());
        Self {
            folder,
            commands: BTreeSet::new(),
            shown: 0,
        }
    }

    /// Runs a command and looks at all that it writes.
    fn run(&mut self, arguments: &[&str]) -> Outcome {
        let mut command = served::opatlas();
        let database = self.folder.path().join("own.db");
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env(
                "OPATLAS_DATABASE",
                format!("sqlite://{}", database.display()),
            )
            .env("GITHUB_TOKEN", "x")
            .stdin(Stdio::null());
        let outcome = run(&mut command);
        self.commands.insert(arguments[0].to_owned());
        assert!(
            outcome.code.is_some_and(|code| code <= 2),
            "{arguments:?}: {outcome:?}"
        );
        for text in [&outcome.out, &outcome.err] {
            let is_command_format = arguments.contains(&"github");
            assert_harmless(arguments, text, is_command_format);
            self.shown += usize::from(text.contains("\\u{1b}") || text.contains("\\u001b"));
        }
        outcome
    }

    fn run_all(&mut self, all: &[&[&str]]) {
        for arguments in all {
            self.run(arguments);
        }
    }
}

fn assert_harmless(arguments: &[&str], text: &str, has_commands: bool) {
    let plain = text.replace("\r\n", "\n").replace(['\n', '\t'], "");
    if let Some(at) = plain.find(is_acting) {
        let before = plain[..at].chars().rev().take(80).collect::<Vec<_>>();
        let before: String = before.into_iter().rev().collect();
        panic!(
            "{arguments:?} {:?} behind {before:?}",
            plain[at..].chars().next()
        );
    }
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    let is_own = |line: &str| {
        let own = ["::error", "::warning", "::notice"];
        has_commands && own.iter().any(|own| line.starts_with(own))
    };
    let mut commands = text
        .lines()
        .filter(|line| is_command(line) && !is_own(line));
    assert_eq!(commands.next(), None, "{arguments:?}");
}

fn native(side: usize) -> String {
    let dim = ["dim", "axis"][side];
    format!(
        r#"- func: tilt(Tensor self, int {dim}) -> Tensor
  dispatch:
    CPU: "tilt{side}{YAML}"
    "XPU{YAML}": tilt_xpu
  python_module: "m{side}{YAML}"
  device_check: "c{side}{YAML}"
  category_override: "o{side}{YAML}"
  tags: ["t{side}{YAML}"]
  "field{YAML}": 1
- func: "lean{YAML}(Tensor self) -> Tensor"
- func: sway(Tensor self, str mode="{side}") -> Tensor
  structured_delegate: "sway.out{side}{YAML}"
  autogen: "sway{side}{YAML}"
  cpp_no_default_args: ["q{YAML}"]
- func: plain{side}(Tensor self) -> Tensor
  dispatch:
    CPU: plain_cpu
    CUDA: "plain_cuda{side}{YAML}"
- func: keep(Tensor self) -> Tensor
  dispatch:
    CPU: "keep{side}{YAML}"
"#
    )
}

fn files(folder: &Path) {
    for (side, name) in ["one", "two"].into_iter().enumerate() {
        let text = |name: &str, text: &str| write(folder, name, text);
        text(&format!("{name}/native_functions.yaml"), &native(side));
        let tags = format!("- tag: core\n  desc: \"d{YAML}\"\n- tag: \"x{YAML}\"\n  desc: y\n");
        text(&format!("{name}/tags.yaml"), &tags);
        let derivatives = format!(
            "- name: \"keep(Tensor self) -> Tensor\"\n  self: \"grad{side}{YAML}\"\n- name: \
             \"gone{YAML}(Tensor self) -> Tensor\"\n  self: grad\n"
        );
        text(&format!("{name}/derivatives.yaml"), &derivatives);
    }
    let backend =
        format!("backend: XPU\ncpp_namespace: \"n{YAML}\"\nsupported:\n- keep\n- \"gone{YAML}\"\n");
    write(folder, "npu.yaml", &backend);
    write(folder, FILE, native(0));
    let source = "TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl(\"keep\\033\", TORCH_FN(x)); m.impl(name, y); }\n";
    write(folder, "src/a\u{1b}[31m\n::x.cpp", source);
    let source = "TORCH_LIBRARY(acme, m) { m.def(\"f\u{1b}[31m\u{9b}(Tensor x) -> Tensor\"); }\n";
    write(folder, "src/b.cpp", source);
    write(folder, "use.csv", format!("\"aten::zz{HOSTILE}\",1\n"));
    let trace = format!("File \"{HOSTILE}\", line 1, in {HOSTILE}\n  {HOSTILE}");
    let nodes = ["torch.ops.aten.keep.default".to_owned(), HOSTILE.to_owned()]
        .map(|target| json!({"target": target, "metadata": {"stack_trace": trace}}));
    let model = json!({"graph_module": {"graph": {"nodes": nodes}}});
    write(folder, "model.json", model.to_string());
    let graph = format!("%x : Tensor = prim::CallMethod[name=\"{HOSTILE}\"](%y)\n");
    write(folder, "graph.txt", graph);
    write(folder, "bad.toml", "[policy\u{1b}[31m\n");
    write(
        folder,
        "policy.toml",
        format!("[policy]\nfail_on = \"x{TOML}\"\n"),
    );
}

#[test]
fn no_command_passes_on_what_acts() {
    let mut field = Field::new();
    for name in ["one", "two"] {
        let import = [
            "import",
            "--dir",
            name,
            "--label",
            name,
            "--project",
            "acme",
        ];
        assert_eq!(field.run(&import).code, Some(0));
    }
    for format in FINDINGS {
        let file = "one/native_functions.yaml";
        field.run_all(&[
            &["check", file, "--neighbours", "--format", format],
            &["check", FILE, "--format", format],
            &["check", file, "--sources", "src", "--format", format],
            &[
                "check",
                "two/native_functions.yaml",
                "--base",
                file,
                "--format",
                format,
            ],
            &[
                "check",
                "npu.yaml",
                "--over",
                "one",
                "--base-project",
                "acme",
                "--format",
                format,
            ],
        ]);
    }
    let named = [
        "--head-title",
        HOSTILE,
        "--base-title",
        HOSTILE,
        "--permalink",
        HOSTILE,
    ];
    for format in CHANGES {
        let sides = ["one/native_functions.yaml", "two/native_functions.yaml"];
        let common = ["--project", "acme", "--format", format];
        field.run(&[&["compare", "acme:one", "acme:two"], &common[..]].concat());
        field.run(
            &[
                &["compare", sides[0], sides[1], "--max-chars", "3000"],
                &named[..],
                &common,
            ]
            .concat(),
        );
        field.run(
            &[
                &["compare", FILE, sides[1], "--against", "all"],
                &common[..],
            ]
            .concat(),
        );
        let backend = ["compare", "acme:one", "acme:two", "--backend", "npu.yaml"];
        field.run(&[&backend, &common[..]].concat());
        for config in ["bad.toml", "policy.toml"] {
            field.run(
                &[
                    &["compare", sides[0], sides[1], "--config", config],
                    &common[..],
                ]
                .concat(),
            );
        }
    }
    assert!(field.shown > 50, "{}", field.shown);
    of_operators(&mut field);
    of_the_database(&mut field);
    of_the_probe(&mut field);
    of_commits(&mut field);
    let help = field.run(&["--help"]).out;
    let (listed, _) = help.split_once("Options:\n").unwrap();
    let listed = listed.split_once("Usage:").unwrap().1.lines();
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    let missed: Vec<_> = names
        .iter()
        .filter(|name| !field.commands.contains(**name))
        .collect();
    assert!(names.len() > 20 && missed.is_empty(), "{missed:?}");
}

/// A run of workers that send whatever they like.
fn of_the_probe(field: &mut Field) {
    let database = field.folder.path().join("own.db");
    let server = served::Served::start(&format!("sqlite://{}", database.display()));
    let runs = "/v1/projects/acme/probe/runs";
    let asked = json!({
        "key": "k", "revision": "one", "torch": "2.15.0", "device": "cpu", "items": {"runs": ["a"], "calls": ["b"]},
    });
    assert_eq!(server.post_json(runs, &asked).status, 200);
    let results = [["missing", HOSTILE]];
    let rows = |item| json!([{"item": item, "outcome": "missing", "results": results, "roots": ["keep", HOSTILE]}]);
    for (shard, item) in [(0, "b"), (1, "a")] {
        let worker = json!({"worker": {"host": HOSTILE}});
        let leased = server
            .post_json(&format!("{runs}/k/lease"), &worker)
            .value();
        let (rows, lease) = (rows(item), &leased["lease"]);
        let digest = Digest::of(rows.to_string().as_bytes()).to_string();
        let sent = json!({"lease": lease, "digest": digest, "rows": rows});
        let sent = server.post_json(&format!("{runs}/k/shards/{shard}"), &sent);
        assert_eq!(sent.status, 201);
    }
    server.post_json(runs, &json!({"key": "l", "revision": "one", "torch": "2.15.0", "device": "cpu", "items": {"runs": ["a"]}}));
    server.post_json(
        &format!("{runs}/l/lease"),
        &json!({"worker": {"host": HOSTILE}}),
    );
    for format in ["text", "json"] {
        let common = ["--project", "acme", "--format", format];
        field.run(&[&["probe", "runs"], &common[..]].concat());
        for run in ["k", "l", HOSTILE] {
            field.run(&[&["probe", "show", run], &common[..]].concat());
            let compare = ["probe", "compare", run, "--agrees", "all"];
            field.run(&[&compare, &common[..]].concat());
        }
    }
}

/// Commands about operators and revisions.
fn of_operators(field: &mut Field) {
    let unknown = format!("zz{HOSTILE}");
    let with = format!("CPU:zz{HOSTILE}");
    let file = "two/native_functions.yaml";
    for operator in ["keep", "plain1", &unknown] {
        for format in ["text", "json"] {
            let of = ["--project", "acme", "--revision", "two", "--format", format];
            field.run(&[&["table", operator], &of[..]].concat());
            field.run(&[&["table", operator, "--key", "CPU", "--explain"], &of[..]].concat());
            field.run(&[&["signatures", operator], &of[..]].concat());
            field.run(&[&["call", operator, operator], &of[..]].concat());
            field.run(&["history", operator, "--project", "acme", "--format", format]);
            let support = ["support", operator, "--key", "CPU", "--project", "acme"];
            field.run(&[&support[..], &["--format", format]].concat());
            field.run(&["search", operator, "--project", "acme", "--format", format]);
            field.run(&["trends", "--project", "acme", "--format", format]);
            field.run(&["list", "--project", "acme", "--format", format]);
        }
        field.run_all(&[
            &["table", operator, "--file", file, "--with", &with],
            &["table", operator, "--file", file, "--format", "csv"],
            &["signatures", operator, "--file", file, "--key", "CPU"],
        ]);
    }
    for format in ["text", "json", "csv"] {
        field.run(&[
            "table",
            "--backend",
            "CPU",
            "--file",
            file,
            "--format",
            format,
        ]);
    }
    for format in ["text", "json", "csv", "markdown"] {
        let of = [
            "gaps",
            "CUDA",
            "--project",
            "acme",
            "--revision",
            "two",
            "--since",
            "one",
        ];
        field.run(&[&of[..], &["--usage", "use.csv", "--format", format]].concat());
    }
    for format in ["text", "json", "markdown"] {
        let of = ["--project", "acme", "--revision", "two", "--format", format];
        for model in ["use.csv", "model.json", "graph.txt"] {
            field.run(&[&["preflight", model, "--backend", "CPU"], &of[..]].concat());
        }
        let backend = ["preflight", "model.json", "--backend", &unknown];
        field.run(&[&backend, &of[..]].concat());
    }
    for format in ["text", "json", "csv"] {
        let of = ["--project", "acme", "--revision", "two", "--format", format];
        field.run(&[&["ways", "--way", "meta"], &of[..]].concat());
        field.run(&[&["ways", &unknown], &of[..]].concat());
    }
    let message = format!("torch._dynamo.exc.Unsupported: {HOSTILE}");
    for format in ["text", "json", "markdown"] {
        field.run(&["why", &message, "--format", format]);
    }
    field.run_all(&[
        &["ways", "--way", &unknown, "--project", "acme"],
        &["support", &unknown, "--project", "acme"],
        &["trends", "--key", &unknown, "--project", "acme"],
        &["label", "set", &unknown, &unknown, "--project", "acme"],
        &["gaps", &unknown, "--project", "acme"],
        &[
            "schema",
            "f\u{1b}[31m\u{202e}(Tensor x) -> Tensor",
            &unknown,
        ],
        &["explain", HOSTILE],
        &["scan", "src"],
        &["scan", "src", "--format", "jsonl"],
        &["drift", FILE],
        &["drift", HOSTILE],
        &[
            "comment",
            "one",
            "two",
            "--repo",
            "o/r",
            "--pr",
            "1",
            "--api-url",
            HOSTILE,
        ],
        &[HOSTILE],
        &["check", HOSTILE],
    ]);
}

/// Commands about what is stored.
fn of_the_database(field: &mut Field) {
    let add = [
        "exception",
        "add",
        "tilt",
        "argument-renamed",
        "--project",
        "acme",
    ];
    let added = field.run(&[&add[..], &["--reason", HOSTILE, "--owner", HOSTILE]].concat());
    let id = added.out.split(' ').next().unwrap_or_default().to_owned();
    assert!(
        field
            .run(&["exception", "list", "--project", "acme"])
            .out
            .contains("\\u{1b}")
    );
    for format in CHANGES {
        field.run(&[
            "compare",
            "acme:one",
            "acme:two",
            "--project",
            "acme",
            "--format",
            format,
        ]);
    }
    let out = "o\u{1b}[31m\nut";
    let backup = "b\u{1b}[31m\n.db";
    let name = "n\u{202e}\u{2028}me";
    field.run_all(&[
        &[
            "exception",
            "extend",
            &id,
            "--until",
            HOSTILE,
            "--project",
            "acme",
        ],
        &[
            "exception",
            "extend",
            HOSTILE,
            "--until",
            "2099-01-01",
            "--project",
            "acme",
        ],
        &["exception", "remove", HOSTILE, "--project", "acme"],
        &["exception", "remove", &id, "--project", "acme"],
        &["exception", "list", "--project", HOSTILE],
        &["export", "one", "--project", "acme", "--out", out],
        &["export", HOSTILE, "--project", "acme"],
        &[
            "import",
            "--dir",
            "one",
            "--label",
            HOSTILE,
            "--project",
            "acme",
        ],
        &["import", "--dir", HOSTILE],
        &[
            "import",
            "--dir",
            "one",
            "--sources",
            "src",
            "--label",
            "three",
            "--project",
            "acme",
        ],
        &["import", "--git", HOSTILE, "--range", HOSTILE],
        &[
            "import",
            "--library",
            FILE,
            "--namespace",
            "x",
            "--project",
            "acme",
            "--label",
            "lib",
        ],
        &[
            "token",
            "create",
            name,
            "--all-projects",
            "--action",
            "read",
        ],
        &["token", "list"],
        &["token", "revoke", HOSTILE],
        &["backup", backup],
        &["backup", backup],
        &["restore", backup],
        &["restore", FILE],
        &["doctor"],
        &["doctor", "--database", HOSTILE],
        &["gc", "--dry-run", "--older-than", "1s"],
        &["gc", "--project", HOSTILE],
        &["serve", "--listen", HOSTILE],
        &["serve", "--database", HOSTILE],
        &["mcp"],
        &["mcp", "--database", HOSTILE],
        &["openapi"],
        &["completions", "bash"],
        &["man"],
        &["lsp", HOSTILE],
    ]);
}

/// Commits of PyTorch with hostile subjects.
fn of_commits(field: &mut Field) {
    let clone = field.folder.path().join("clone");
    write(field.folder.path(), "acme.yaml", BACKEND);
    for side in 0..2 {
        write(&clone, "native_functions.yaml", native(side));
        if side == 0 {
            git(&clone, &["init", "-q"]);
        }
        git(&clone, &["add", "-A"]);
        git(&clone, &["commit", "-q", "-m", HOSTILE]);
    }
    let of = ["--git", "clone", "--path", "native_functions.yaml"];
    for format in ["text", "json", "atom"] {
        let watch = ["watch", "--backend", "acme.yaml", "--format", format];
        let told = field.run(&[&watch[..], &of].concat());
        assert!(told.out.contains("plain0"), "{}{}", told.out, told.err);
    }
    field.run_all(&[
        &[
            "watch",
            "--backend",
            FILE,
            "--git",
            "clone",
            "--path",
            HOSTILE,
        ],
        &[
            "watch",
            "--backend",
            "acme.yaml",
            "--git",
            HOSTILE,
            "--range",
            HOSTILE,
        ],
    ]);
}

const BACKEND: &str =
    "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- tilt\n- keep\n- plain0\n";

/// A server that answers all requests but that for its version with this status.
fn hostile_server(status: &'static str) -> Fake {
    Fake::start(move |asked| {
        let version = json!({
            "name": "opatlas", "version": format!("0.1{HOSTILE}"), "engine": HOSTILE, "api": "v1",
            "oldest_release": "2.0", "newest_release": "2.15",
        });
        if asked.head[0].contains("/v1/version") {
            return fake::answer("200 OK", "application/json", &version.to_string(), &[]);
        }
        let code: u16 = status[..3].parse().unwrap();
        let place =
            json!({"line": 1, "column": 2, "end_line": 1, "end_column": 2, "start": 0, "end": 1});
        let fault = json!({"detail": HOSTILE, "pointer": HOSTILE});
        let problem = json!({
            "type": "/problems/invalid-name", "title": HOSTILE, "status": code, "detail": HOSTILE,
            "message": HOSTILE, "request_id": HOSTILE, "errors": [fault, fault],
            "findings": [{"rule": HOSTILE, "severity": "error", "message": HOSTILE, "file": HOSTILE, "span": place}],
        });
        fake::answer(
            status,
            "application/problem+json",
            &problem.to_string(),
            &[],
        )
    })
}

#[test]
fn no_command_passes_on_what_a_server_says() {
    let mut field = Field::new();
    for status in [
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "422 Refused",
        "500 Failed",
    ] {
        let server = hostile_server(status);
        for arguments in [
            &["table", "keep"][..],
            &["signatures", "keep"],
            &["compare", "1.0", "2.0"],
            &["history", "keep"],
            &["gaps", "CUDA"],
            &["probe", "runs"],
            &["probe", "show", "k"],
            &["probe", "compare"],
            &["exception", "list"],
            &[
                "exception",
                "add",
                "keep",
                "argument-renamed",
                "--reason",
                "x",
            ],
            &["exception", "extend", "x", "--until", "2099-01-01"],
            &["exception", "remove", "x"],
            &["export", "1.0", "--out", "out"],
            &["import", "--dir", "one", "--label", "a"],
            &["check", "npu.yaml", "--over", "1.0"],
        ] {
            let there = ["--server", &server.url, "--token", "opatlas_x"];
            let outcome = field.run(&[arguments, &there].concat());
            assert_eq!(outcome.code, Some(2), "{arguments:?}: {outcome:?}");
        }
        let comment = [
            "comment",
            "one/native_functions.yaml",
            "two/native_functions.yaml",
        ];
        let of = [
            "--repo",
            "o/r",
            "--pr",
            "1",
            "--max-wait",
            "0",
            "--api-url",
            &server.url,
        ];
        field.run(&[&comment[..], &of].concat());
    }
    assert!(field.shown > 40, "{}", field.shown);
}

/// With colors, only the program's own colors act.
#[test]
fn colors_are_those_of_the_program() {
    let mut field = Field::new();
    let file = "two/native_functions.yaml";
    for arguments in [
        &["check", file, "--neighbours"][..],
        &["compare", "one/native_functions.yaml", file],
        &["table", "keep", "--file", file],
        &["table", "--backend", "CUDA", "--file", file],
    ] {
        field.commands.clear();
        let mut command: Command = served::opatlas();
        command
            .args(arguments)
            .args(["--color", "always"])
            .current_dir(field.folder.path());
        let outcome = run(command.stdin(Stdio::null()));
        let text = outcome.out + &outcome.err;
        assert!(text.contains("\u{1b}["), "{arguments:?}");
        // Those of the text follow a bell.
        assert!(!text.contains("\\u{7}\u{1b}"), "{arguments:?}: {text}");
        let mut bare = String::new();
        for (at, part) in text.split("\u{1b}[").enumerate() {
            let rest = part
                .split_once('m')
                .filter(|(code, _)| code.chars().all(|c| c.is_ascii_digit() || c == ';'));
            bare.push_str(if at == 0 { part } else { rest.unwrap().1 });
        }
        assert_harmless(arguments, &bare, false);
    }
}

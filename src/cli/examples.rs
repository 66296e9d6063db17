//! The examples that `--help` shows.

/// Examples by command, the most usual first.
pub(super) const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "opatlas check native_functions.yaml",
            "opatlas table add.Tensor --key MPS --explain",
            "opatlas compare 2.14.1 2.15.0",
        ],
    ),
    (
        "serve",
        &[
            "opatlas serve --bootstrap 2.15.0",
            "opatlas serve --listen 0.0.0.0:8080 --auth writes",
        ],
    ),
    (
        "check",
        &[
            "opatlas check native_functions.yaml",
            "opatlas check --fix native_functions.yaml",
            "opatlas check --base git:HEAD aten/src/ATen/native/native_functions.yaml",
            "opatlas check --over 2.15.0 acme_functions.yaml",
        ],
    ),
    (
        "explain",
        &["opatlas explain type-unknown", "opatlas explain dispatch"],
    ),
    (
        "why",
        &[
            "opatlas why \"Could not run 'aten::bmm' with arguments from the 'MPS' backend\"",
            "opatlas why < log.txt",
        ],
    ),
    (
        "table",
        &[
            "opatlas table add.Tensor",
            "opatlas table add.Tensor -k MPS --explain",
            "opatlas table --backend MPS --missing -f csv",
        ],
    ),
    (
        "schema",
        &["opatlas schema 'foo(Tensor self, *, int n=1) -> Tensor'"],
    ),
    (
        "signatures",
        &[
            "opatlas signatures add.Tensor",
            "opatlas signatures add.Tensor -k PrivateUse1",
        ],
    ),
    (
        "call",
        &[
            "opatlas call torch.add 'tensor, 1, alpha=2'",
            "opatlas call 'F.relu(x, inplace=True)'",
        ],
    ),
    (
        "compare",
        &[
            "opatlas compare 2.14.1 2.15.0",
            "opatlas compare git:origin/main...HEAD git:HEAD",
            "opatlas compare 2.15.0 native_functions.yaml -f markdown",
        ],
    ),
    (
        "comment",
        &["opatlas comment git:origin/main...HEAD git:HEAD --repo OWNER/NAME --pr 7"],
    ),
    (
        "history",
        &[
            "opatlas history add.Tensor",
            "opatlas history bmm -k MPS --from 2.9.0",
        ],
    ),
    (
        "gaps",
        &[
            "opatlas gaps MPS -n 10",
            "opatlas gaps MPS --since 2.14.1",
            "opatlas gaps --way inductor --tag core",
        ],
    ),
    (
        "ways",
        &[
            "opatlas ways add.Tensor",
            "opatlas ways --way vmap --missing",
        ],
    ),
    (
        "preflight",
        &["opatlas preflight model.pt2 --backend MPS,XPU"],
    ),
    ("drift", &["opatlas drift tables.json -r 2.15.0"]),
    ("probe", &["opatlas probe runs"]),
    (
        "probe runs",
        &["opatlas probe runs", "opatlas probe runs -n 5"],
    ),
    (
        "probe show",
        &["opatlas probe show", "opatlas probe show 2.15.0-mps"],
    ),
    (
        "probe compare",
        &[
            "opatlas probe compare",
            "opatlas probe compare 2.15.0-mps --agrees no",
        ],
    ),
    (
        "watch",
        &["opatlas watch --git pytorch --backend acme_functions.yaml --range v2.14.0..HEAD"],
    ),
    ("scan", &["opatlas scan csrc"]),
    ("exception", &["opatlas exception list"]),
    (
        "exception add",
        &[
            "opatlas exception add can_cast argument-renamed --reason 'positional only' --until 2.16",
        ],
    ),
    ("exception list", &["opatlas exception list -p pytorch"]),
    (
        "exception extend",
        &["opatlas exception extend ID --until 2.17"],
    ),
    ("exception remove", &["opatlas exception remove ID"]),
    (
        "list",
        &[
            "opatlas list",
            "opatlas list labels -n 0",
            "opatlas list projects",
        ],
    ),
    (
        "search",
        &[
            "opatlas search grid_sampler",
            "opatlas search --removed lerp",
        ],
    ),
    (
        "support",
        &[
            "opatlas support bmm add.Tensor -k MPS,XPU",
            "opatlas support bmm -f markdown",
        ],
    ),
    (
        "trends",
        &[
            "opatlas trends",
            "opatlas trends -k MPS --from 2.9.0",
            "opatlas trends --way vmap",
        ],
    ),
    ("label", &["opatlas label set main 2.15.0"]),
    (
        "label set",
        &[
            "opatlas label set main 2.15.0",
            "opatlas label set 2.15.0 sha256:46f5640a --force",
        ],
    ),
    ("label delete", &["opatlas label delete main"]),
    (
        "import",
        &[
            "opatlas import torch==2.15.0",
            "opatlas import torch==2.9.0..latest",
            "opatlas import --dir files --label main",
            "opatlas import --git pytorch --range v2.14.0..v2.15.0",
        ],
    ),
    (
        "export",
        &[
            "opatlas export 2.15.0 -o files",
            "opatlas export --dataset dataset",
        ],
    ),
    ("token", &["opatlas token list"]),
    (
        "token create",
        &["opatlas token create ci --project pytorch --action ingest"],
    ),
    ("token list", &["opatlas token list"]),
    ("token revoke", &["opatlas token revoke ID"]),
    ("backup", &["opatlas backup opatlas-backup.db"]),
    ("restore", &["opatlas restore opatlas-backup.db"]),
    ("doctor", &["opatlas doctor"]),
    (
        "gc",
        &["opatlas gc --dry-run", "opatlas gc --older-than 90d"],
    ),
    ("mcp", &["opatlas mcp --database sqlite://opatlas.db"]),
    ("openapi", &["opatlas openapi -o openapi.json"]),
    ("lsp", &["opatlas lsp --release 2.9"]),
    (
        "completions",
        &["opatlas completions fish > ~/.config/fish/completions/opatlas.fish"],
    ),
    ("man", &["opatlas man -o ~/.local/share/man/man1"]),
];

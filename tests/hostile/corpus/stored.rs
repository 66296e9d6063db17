//! What is stored and then read: revisions, labels, policies and exceptions, with every view of them.

use serde_json::json;

use crate::shape::{Asked, Attack, Shape, Text, text};

const PLAIN: Text = text("", "- func: a{i}(Tensor self) -> Tensor\n", "");
const RENAMED: Text = text("", "- func: b{i}(Tensor self) -> Tensor\n", "");
const KERNELS: Text = text(
    "",
    "- func: a{i}(Tensor self) -> Tensor\n  dispatch: {CPU: a}\n  autogen: a{i}.out\n",
    "",
);
const OVERLOADS: Text = text("", "- func: f.a{i}(Tensor self) -> Tensor\n", "");
const OTHERS: Text = text("", "- func: f.b{i}(Tensor self) -> Tensor\n", "");
const SMALL: &str = "- func: f(Tensor self) -> Tensor\n  dispatch: {CPU: f}\n";

/// Pairs of revisions that are stored under 2.14.0 and 2.15.0, with an operator of each.
const PAIRS: &[(&str, Text, Text, [&str; 2])] = &[
    ("all renamed", PLAIN, RENAMED, ["a1", "b1"]),
    ("overloads renamed", OVERLOADS, OTHERS, ["f.a1", "f.b1"]),
    ("kernels gone", KERNELS, PLAIN, ["a1", "a1"]),
];

/// What is asked of a project of two revisions; `P` stands for `/v1/projects/NAME`, `O` and `N` for an
/// operator of the old and of the new one.
const VIEWS: &[(&str, &str)] = &[
    ("trends", "P/trends"),
    ("trends of backends", "P/trends?coverage=true&points=2000"),
    ("support", "P/support?operators=O&keys=CPU,CUDA"),
    ("search", "P/search?q=a"),
    ("gaps", "P/revisions/2.15.0/gaps/CPU?since=2.14.0"),
    ("gaps as CSV", "P/revisions/2.15.0/gaps/CUDA"),
    ("gaps of a way", "P/revisions/2.15.0/gaps?way=training"),
    ("history", "P/operators/O/history"),
    ("comparison", "P/compare/2.14.0...2.15.0"),
    (
        "comparison against all",
        "P/compare/2.14.0...2.15.0?against=all",
    ),
    ("operators", "P/revisions/2.15.0/operators?limit=1000&q=a"),
    (
        "operators at a key",
        "P/revisions/2.15.0/operators?limit=1000&key=CPU&reason=kernel",
    ),
    ("one operator", "P/revisions/2.15.0/operators/N"),
    ("an unknown operator", "P/revisions/2.15.0/operators/f.a1x"),
    (
        "table of one",
        "P/revisions/2.15.0/operators/N/dispatch?explain=true",
    ),
    ("findings", "P/revisions/2.15.0/findings?limit=1000"),
    ("matrix", "P/revisions/2.15.0/matrix"),
    ("coverage", "P/revisions/2.15.0/coverage"),
    ("keys", "P/revisions/2.15.0/keys"),
    ("one key", "P/revisions/2.15.0/keys/CPU?limit=1000"),
    ("file", "P/revisions/2.15.0/files/native_functions.yaml"),
    ("badge", "P/badges/CPU.svg"),
];

/// Lists in a query over a small project.
const LISTS: &[(&str, &str, Text)] = &[
    (
        "operators of support",
        "P/support?keys=CPU&operators=",
        text("", "f,", "f"),
    ),
    (
        "unknown operators of support",
        "P/support?keys=CPU&operators=",
        text("", "f{i},", "f"),
    ),
    (
        "keys of support",
        "P/support?operators=f&keys=",
        text("", "CPU,", "CPU"),
    ),
    (
        "unknown keys of support",
        "P/support?operators=f&keys=",
        text("", "K{i},", "CPU"),
    ),
    (
        "operators and keys of support",
        "P/support?operators=f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f&keys=",
        text("", "CPU,", "CPU"),
    ),
    (
        "backends of trends",
        "P/trends?coverage=",
        text("", "CPU,", "CPU"),
    ),
    ("a question of search", "P/search?q=", text("", "a+", "a")),
    (
        "registrations of a table",
        "P/revisions/latest/operators/f/dispatch?with=",
        text("", "CPU,", "CPU"),
    ),
    (
        "unknown registrations of a table",
        "P/revisions/latest/operators/f/dispatch?with=",
        text("", "K{i},", "CPU"),
    ),
    (
        "removals of a table",
        "P/revisions/latest/operators/f/dispatch?without=",
        text("", "CPU,", "CPU"),
    ),
    (
        "kernels of a table",
        "P/revisions/latest/operators/f/dispatch?with=",
        text("", "CPU:k{i},", "CPU"),
    ),
    (
        "keys of a table",
        "P/revisions/latest/operators/f/dispatch?key=",
        text("", "CPU,", "CPU"),
    ),
    (
        "rules of findings",
        "P/revisions/latest/findings?rule=",
        text("", "argument-", "x"),
    ),
    (
        "a name of an operator",
        "P/revisions/latest/operators/",
        text("", "f", ""),
    ),
    ("a name of a revision", "P/revisions/", text("", "f", "")),
    ("a digest", "P/revisions/sha256:", text("", "0", "")),
    ("a range", "P/compare/", text("", "...", "")),
    ("a key", "P/revisions/latest/keys/", text("", "CPU", "")),
    ("a badge", "P/badges/", text("", "CPU", ".svg")),
    (
        "a cursor",
        "P/revisions/latest/operators?cursor=",
        text("", "00", ""),
    ),
];

/// Both revisions of a pair together, in bytes: longer ones have more operators than are stored, and
/// are refused.
const MOST: usize = 2_100_000;

pub fn shapes() -> Vec<Shape> {
    let views = PAIRS.iter().flat_map(|&(pair, old, new, [first, last])| {
        VIEWS.iter().map(move |&(view, path)| {
            Shape::new(format!("stored, {pair}: {view}"), move |size| {
                let size = size.min(MOST);
                let project = project("v", pair, size);
                Attack {
                    before: two(&project, &old.of(size / 2), &new.of(size / 2)),
                    asked: Asked::get(
                        path.replace("/N", &format!("/{last}"))
                            .replace("/O", &format!("/{first}"))
                            .replace("=O", &format!("={first}"))
                            .replacen('P', &format!("/v1/projects/{project}"), 1),
                    ),
                }
            })
        })
    });
    let lists = LISTS.iter().map(|&(name, path, text)| {
        Shape::new(format!("a list: {name}"), move |size| {
            let project = "lists".to_owned();
            let path = path.replacen('P', &format!("/v1/projects/{project}"), 1);
            Attack {
                before: two(&project, SMALL, &SMALL.replace("CPU", "CUDA")),
                asked: Asked::get(format!("{path}{}", text.of(size.min(30_000)))),
            }
        })
    });
    views
        .chain(lists)
        .chain([many_labels()])
        .chain(overlays())
        .chain(usages())
        .chain(vendors())
        .chain(kept())
        .collect()
}

/// The name of a project of its own.
fn project(kind: &str, name: &str, size: usize) -> String {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{kind}{name}{size}")
}

/// Makes a project with two revisions. What is there already stays.
pub(super) fn two(project: &str, old: &str, new: &str) -> Vec<Asked> {
    let ingest = |label: &str, text: &str| {
        Asked::yaml(
            format!("/v1/projects/{project}/revisions?label={label}"),
            text,
        )
    };
    vec![
        Asked::json("/v1/projects", json!({"name": project}).to_string()),
        ingest("2.14.0", old),
        ingest("2.15.0", new),
    ]
}

/// A head compared with each of up to 150 labelled revisions, no two of which are alike.
fn many_labels() -> Shape {
    Shape::new("stored, many labels: comparison against all", move |size| {
        let count = (size / (16 << 10)).clamp(4, 150);
        let project = project("m", "labels", size);
        let each = PLAIN.of(size.min(MOST) / count);
        let ingest = |at: usize| {
            Asked::yaml(
                format!("/v1/projects/{project}/revisions?label=2.15.{at}"),
                format!("{each}- func: own{at}(Tensor self) -> Tensor\n"),
            )
        };
        let project_itself = json!({"name": project}).to_string();
        let last = count - 1;
        Attack {
            before: std::iter::once(Asked::json("/v1/projects", project_itself))
                .chain((0..count).map(ingest))
                .collect(),
            asked: Asked::get(format!(
                "/v1/projects/{project}/compare/2.15.0...2.15.{last}?against=all"
            )),
        }
    })
}

/// Entries that are checked over a large revision.
fn overlays() -> impl Iterator<Item = Shape> {
    const ENTRIES: &[(&str, Text)] = &[
        ("all of its entries again", KERNELS),
        ("all of its entries without kernels", PLAIN),
        ("as many others", RENAMED),
        ("overloads of one name", OVERLOADS),
        (
            "one name again and again",
            text("", "- func: a1() -> ()\n", ""),
        ),
        ("items that are empty", text("", "-\n", "")),
        ("no list", text("", "a{i}: b\n", "")),
        ("one flow sequence", text("[", "{func: a{i}() -> ()},", "]")),
        (
            "autogen of its names",
            text(
                "",
                "- func: c{i}(Tensor self) -> Tensor\n  autogen: a{i}\n",
                "",
            ),
        ),
    ];
    ENTRIES.iter().map(|&(name, entries)| {
        Shape::new(format!("over a revision: {name}"), move |size| {
            let project = project("o", "overlay", size);
            let stored = KERNELS.of(size.min(MOST) / 2);
            Attack {
                before: two(&project, SMALL, &stored),
                asked: Asked::yaml(
                    format!("/v1/projects/{project}/revisions/2.15.0/validate"),
                    entries.of(size),
                ),
            }
        })
    })
}

/// Files that say how often operators are used.
fn usages() -> Vec<Shape> {
    const USAGES: &[(&str, &str, Text)] = &[
        ("lines", "text/csv", text("", "aten::add.Tensor,12\n", "")),
        (
            "lines of many operators",
            "text/csv",
            text("", "a{i},12\n", ""),
        ),
        ("lines that are none", "text/csv", text("", "a\n", "")),
        ("commas", "text/csv", text("", ",", "")),
        ("one long line", "text/csv", text("", "a", ",1\n")),
        ("blank lines", "text/csv", text("", "\n", "")),
        ("quotes", "text/csv", text("", "\"a\"\"", ",1\n")),
        (
            "members",
            "application/json",
            text("{", r#""a{i}": 1,"#, r#""a": 1}"#),
        ),
        (
            "items",
            "application/json",
            text(
                "[",
                r#"{"operator": "a", "count": 1},"#,
                r#"{"operator": "a", "count": 1}]"#,
            ),
        ),
        ("empty lists", "application/json", text("[", "[],", "[]]")),
        ("lists within lists", "application/json", text("", "[", "")),
        (
            "large counts",
            "text/csv",
            text("", "a,18446744073709551615\n", ""),
        ),
    ];
    let usages = USAGES.iter().map(|&(name, media, text)| {
        Shape::new(format!("usage: {name}"), move |size| {
            let project = "usage".to_owned();
            Attack {
                before: two(&project, SMALL, &PLAIN.of(100_000)),
                asked: Asked::post(
                    format!("/v1/projects/{project}/revisions/2.15.0/gaps/CPU"),
                    media,
                    text.of(size),
                ),
            }
        })
    });
    usages.collect()
}

/// Backend files over stored revisions.
fn vendors() -> Vec<Shape> {
    const HEAD: &str = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n";
    const VENDORS: &[(&str, Text)] = &[
        ("unknown operators", text(HEAD, "- operator_{x}\n", "")),
        ("nearly known operators", text(HEAD, "- ax{i}\n", "")),
        ("known operators", text(HEAD, "- a{i}\n", "")),
        ("null entries", text(HEAD, "-\n", "")),
        (
            "one line",
            text(
                "backend: PrivateUse1\ncpp_namespace: acme\nsupported: [",
                "a, ",
                "a]\n",
            ),
        ),
    ];
    let vendors = VENDORS.iter().map(|&(name, text)| {
        Shape::new(
            format!("a backend over two revisions: {name}"),
            move |size| {
                let project = "vendors".to_owned();
                Attack {
                    before: two(&project, &PLAIN.of(200_000), &KERNELS.of(200_000)),
                    asked: Asked::yaml(
                        format!("/v1/projects/{project}/compare/2.14.0...2.15.0"),
                        text.of(size),
                    ),
                }
            },
        )
    });
    vendors.collect()
}

/// Policies, exceptions and files that are taken in.
fn kept() -> Vec<Shape> {
    let post = |name: &'static str, path: &'static str, text: Text| {
        Shape::new(format!("kept: {name}"), move |size| {
            let project = project("k", name, size);
            let path = path.replacen('P', &format!("/v1/projects/{project}"), 1);
            let media = match path.ends_with("revisions") {
                true => "application/yaml",
                false => "application/json",
            };
            Attack {
                before: two(&project, SMALL, SMALL),
                asked: Asked::post(path, media, text.of(size)),
            }
        })
    };
    vec![
        post(
            "one operator again",
            "P/revisions",
            text("", "- func: f() -> ()\n", ""),
        ),
        post("null entries", "P/revisions", text("", "-\n", "")),
        post("operators", "P/revisions", PLAIN),
        post("operators with kernels", "P/revisions", KERNELS),
        post("overloads", "P/revisions", OVERLOADS),
        post(
            "one long entry",
            "P/revisions",
            text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        ),
        post(
            "one comment",
            "P/revisions",
            text("- func: f() -> () # ", "a ", "\n"),
        ),
        post(
            "an exception of a long pattern",
            "P/exceptions",
            text(
                r#"{"rule": "*", "reason": "x", "broad": true, "operator": ""#,
                "*a",
                r#""}"#,
            ),
        ),
        post(
            "an exception of a long reason",
            "P/exceptions",
            text(
                r#"{"rule": "*", "operator": "f", "broad": true, "reason": ""#,
                "a",
                r#""}"#,
            ),
        ),
        post(
            "an exception of a near rule",
            "P/exceptions",
            text(
                r#"{"operator": "f", "reason": "x", "rule": ""#,
                "argument-renamd",
                r#""}"#,
            ),
        ),
        post(
            "an exception of members",
            "P/exceptions",
            text(
                r#"{"operator": "f", "reason": "x", "rule": "*""#,
                r#","k{i}": 1"#,
                "}",
            ),
        ),
        Shape::new("kept: a policy of many tags", |size| {
            let project = project("k", "policy", size);
            let tags: serde_json::Map<_, _> = (0..size / 20)
                .map(|at| (format!("t{at}"), json!("ignore")))
                .collect();
            let mut asked = Asked::json(
                format!("/v1/projects/{project}"),
                json!({"policy": {"tags": tags}}).to_string(),
            );
            asked.method = "PATCH";
            Attack {
                before: two(&project, SMALL, SMALL),
                asked,
            }
        }),
        Shape::new("kept: a label of a long revision", |size| {
            let project = project("k", "label", size);
            let mut asked = Asked::json(
                format!("/v1/projects/{project}/labels/main"),
                json!({"revision": "a".repeat(size)}).to_string(),
            );
            asked.method = "PUT";
            Attack {
                before: two(&project, SMALL, SMALL),
                asked,
            }
        }),
    ]
}

//! Comparisons of two files, of two schemas, with policies and exceptions, and schemas on their own.

use serde_json::json;

use crate::shape::{Asked, Shape, Text, text};

const SMALL: &str = "- func: f(Tensor self) -> Tensor\n";

/// Pairs of files, each of half the size.
const FILES: &[(&str, Text, Text)] = &[
    (
        "all renamed",
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
        text("", "- func: b{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "all renamed, nearly alike",
        text(
            "",
            "- func: aaaaaaaaaaaaaaaa{x}(Tensor self) -> Tensor\n",
            "",
        ),
        text(
            "",
            "- func: aaaaaaaaaaaaaaab{x}(Tensor self) -> Tensor\n",
            "",
        ),
    ),
    (
        "overloads of one base renamed",
        text("", "- func: f.a{i}(Tensor self) -> Tensor\n", ""),
        text("", "- func: f.b{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "overloads of one base changed",
        text("", "- func: f.a{i}(Tensor self) -> Tensor\n", ""),
        text("", "- func: f.a{i}(Tensor self, int b=1) -> Tensor\n", ""),
    ),
    (
        "overloads added to a base",
        text("", "- func: f.a{i}(Tensor self) -> Tensor\n", ""),
        text(
            "",
            "- func: f.a{i}(Tensor self) -> Tensor\n- func: f.b{i}(Tensor self) -> Tensor\n",
            "",
        ),
    ),
    (
        "in-place forms renamed",
        text("", "- func: a{i}_(Tensor(a!) self) -> Tensor(a!)\n", ""),
        text("", "- func: b{i}_(Tensor(a!) self) -> Tensor(a!)\n", ""),
    ),
    (
        "all removed",
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
        text(SMALL, "#", "\n"),
    ),
    (
        "all added",
        text(SMALL, "#", "\n"),
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "all changed",
        text("", "- func: a{i}(Tensor self, int b) -> Tensor\n", ""),
        text("", "- func: a{i}(Tensor self, float b) -> Tensor\n", ""),
    ),
    (
        "all moved",
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
        text("# x\n", "- func: a{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "kernels of all",
        text(
            "",
            "- func: a{i}(Tensor self) -> Tensor\n  dispatch: {CPU: a}\n",
            "",
        ),
        text(
            "",
            "- func: a{i}(Tensor self) -> Tensor\n  dispatch: {CUDA: a}\n",
            "",
        ),
    ),
    (
        "generated ones of all",
        text(
            "",
            "- func: a{i}(Tensor self) -> Tensor\n  dispatch: {CPU: a}\n  autogen: a{i}.out\n",
            "",
        ),
        text(
            "",
            "- func: a{i}(Tensor self) -> Tensor\n  dispatch: {CPU: a}\n",
            "",
        ),
    ),
    (
        "tags of all",
        text(
            "",
            "- func: a{i}(Tensor self) -> Tensor\n  tags: core\n",
            "",
        ),
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "tags of one",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: [",
            "a{i}, ",
            "core]\n",
        ),
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: [",
            "b{i}, ",
            "core]\n",
        ),
    ),
    (
        "arguments of one renamed",
        text("- func: f(", "Tensor a{i}, ", "Tensor c) -> Tensor\n"),
        text("- func: f(", "Tensor b{i}, ", "Tensor c) -> Tensor\n"),
    ),
    (
        "arguments of one turned",
        text(
            "- func: f(",
            "Tensor a{i}, int b{i}, ",
            "Tensor c) -> Tensor\n",
        ),
        text(
            "- func: f(",
            "int b{i}, Tensor a{i}, ",
            "Tensor c) -> Tensor\n",
        ),
    ),
    (
        "returns of one",
        text(
            "- func: f(Tensor self) -> (",
            "Tensor a{i}, ",
            "Tensor c)\n",
        ),
        text(
            "- func: f(Tensor self) -> (",
            "Tensor b{i}, ",
            "Tensor c)\n",
        ),
    ),
    (
        "dispatch of one",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    ",
            "CPU, ",
            "CPU: f\n",
        ),
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    ",
            "CUDA, ",
            "CUDA: f\n",
        ),
    ),
    (
        "one operator again",
        text("", "- func: f() -> ()\n", ""),
        text("", "- func: f() -> ()\n\n", ""),
    ),
    (
        "entries that cannot be read",
        text("", "- func: a{i}\n", ""),
        text("", "- func: b{i}\n", ""),
    ),
    (
        "null entries",
        text(SMALL, "-\n", ""),
        text(SMALL, "- \n", ""),
    ),
    (
        "namespaces of all",
        text("", "- func: a::f{i}(Tensor self) -> Tensor\n", ""),
        text("", "- func: b::f{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "views of all",
        text("", "- func: a{i}(Tensor(a) self) -> Tensor(a)\n", ""),
        text("", "- func: a{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "structured groups",
        text(
            "",
            "- func: a{i}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch: {CPU: f}\n- func: a{i}(Tensor self) -> Tensor\n  structured_delegate: a{i}.out\n",
            "",
        ),
        text(
            "",
            "- func: a{i}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch: {CPU: f}\n- func: a{i}(Tensor self) -> Tensor\n",
            "",
        ),
    ),
    (
        "spread defaults",
        text("", "- func: f{i}(int[65536] a=1) -> Tensor\n", ""),
        text("", "- func: f{i}(int[65536] a=2) -> Tensor\n", ""),
    ),
];

/// The longest schemas that are read, almost.
pub const LONGEST: usize = 16_300;

/// Pairs of schemas, each of half the size.
const SCHEMAS: &[(&str, Text, Text)] = &[
    (
        "arguments renamed",
        text("f(", "Tensor a{i}, ", "Tensor c) -> Tensor"),
        text("f(", "Tensor b{i}, ", "Tensor c) -> Tensor"),
    ),
    (
        "arguments turned",
        text("f(", "Tensor a{i}, int b{i}, ", "Tensor c) -> Tensor"),
        text("f(", "int b{i}, Tensor a{i}, ", "Tensor c) -> Tensor"),
    ),
    (
        "arguments removed",
        text("f(", "Tensor a{i}, ", "Tensor c) -> Tensor"),
        text("f(Tensor c", " ", ") -> Tensor"),
    ),
    (
        "one argument again",
        text("f(", "Tensor a, ", "Tensor c) -> Tensor"),
        text("f(", "Tensor a, ", "Tensor c) -> Tensor"),
    ),
    (
        "spread defaults",
        text("f(", "int[65536] a{i}=1, ", "int b=1) -> Tensor"),
        text("f(", "int[65536] a{i}=1, ", "int b=2) -> Tensor"),
    ),
    (
        "keyword arguments",
        text("f(*, ", "int a{i}=1, ", "int b=1) -> Tensor"),
        text("f(*, ", "int b{i}=1, ", "int b=1) -> Tensor"),
    ),
    (
        "outs",
        text("f(*, ", "Tensor(a!) a{i}, ", "Tensor(a!) c) -> Tensor(a!)"),
        text("f(*, ", "Tensor(a!) b{i}, ", "Tensor(a!) c) -> Tensor(a!)"),
    ),
    (
        "returns",
        text("f() -> (", "Tensor a{i}, ", "Tensor b)"),
        text("f() -> (", "Tensor b{i}, ", "Tensor b)"),
    ),
    (
        "types that nest",
        text("f(", "Dict(str, ", "int x) -> int"),
        text("f(", "Optional(", "int x) -> int"),
    ),
    (
        "list types",
        text("f(int", "[]", " a) -> Tensor"),
        text("f(int", "?", " a) -> Tensor"),
    ),
    (
        "unions",
        text("f(Union(", "int, ", "float) a) -> int"),
        text("f(Union(", "float, ", "int) a) -> int"),
    ),
    (
        "tuples",
        text("f((", "int, ", "float) a) -> int"),
        text("f((", "float, ", "int) a) -> int"),
    ),
    (
        "alias sets",
        text("f(Tensor(", "a|", "b) x) -> Tensor"),
        text("f(Tensor(", "b|", "a!) x) -> Tensor"),
    ),
    (
        "default lists",
        text("f(int[] a=[", "1, ", "1]) -> Tensor"),
        text("f(int[] a=[", "2, ", "1]) -> Tensor"),
    ),
    (
        "default texts",
        text("f(str a='", "x", "') -> Tensor"),
        text("f(str a='", "y", "') -> Tensor"),
    ),
    (
        "defaults of escapes",
        text("f(str a='", "\\n", "') -> Tensor"),
        text("f(str a='", "\\'", "') -> Tensor"),
    ),
    (
        "numbers",
        text("f(int a=", "9", ") -> Tensor"),
        text("f(float a=1.", "9", ") -> Tensor"),
    ),
    ("parentheses", text("f", "(", ""), text("f", "(", "")),
    ("nonsense", text("", "@", ""), text("", "->", "")),
    (
        "long names",
        text("", "a", "(Tensor x) -> Tensor"),
        text("", "b", "(Tensor x) -> Tensor"),
    ),
    (
        "names with dots and colons",
        text("a::", "b.", "c(Tensor x) -> Tensor"),
        text("", "a::", "c(Tensor x) -> Tensor"),
    ),
];

/// Schemas that are read on their own.
const ALONE: &[(&str, Text)] = &[
    (
        "arguments",
        text("f(", "Tensor a{i}, ", "Tensor b) -> Tensor"),
    ),
    (
        "unknown types",
        text("f(", "Tensr{x} a{i}, ", "Tensor b) -> Tensor"),
    ),
    (
        "alias sets",
        text("f(", "Tensor(a!) a{i}, ", "Tensor b) -> Tensor"),
    ),
    (
        "wrong defaults",
        text("f(", "int a{i}=x, ", "int b=1) -> Tensor"),
    ),
    (
        "spread defaults",
        text("f(", "int[65536] a{i}=1, ", "int b=1) -> Tensor"),
    ),
    ("list types", text("f(int", "[]", " a) -> Tensor")),
    (
        "outs",
        text("f(*, ", "Tensor(a!) a{i}, ", "Tensor(a!) c) -> Tensor(a!)"),
    ),
    ("returns", text("f() -> (", "Tensor(a!), ", "Tensor)")),
    ("line breaks", text("f(Tensor a", "\n", ") -> Tensor")),
    (
        "one argument again",
        text("f(", "int a, ", "int a) -> Tensor"),
    ),
];

pub fn shapes() -> Vec<Shape> {
    let files = FILES.iter().map(|&(name, old, new)| {
        Shape::new(format!("compare: {name}"), move |size| {
            compare(&old.of(size / 2), &new.of(size / 2), json!({}))
        })
    });
    const RENDERED: [&str; 3] = ["all renamed", "all changed", "entries that cannot be read"];
    let rendered = FILES.iter().filter(|(name, ..)| RENDERED.contains(name));
    let rendered = rendered.flat_map(|&(name, old, new)| {
        [
            "text/markdown",
            "application/sarif+json",
            "application/xml",
            "text/plain",
        ]
        .map(|form| {
            Shape::new(format!("compare as {form}: {name}"), move |size| {
                compare(&old.of(size / 2), &new.of(size / 2), json!({})).accept(form)
            })
        })
    });
    let schemas = SCHEMAS.iter().map(|&(name, old, new)| {
        Shape::new(format!("compare schemas: {name}"), move |size| {
            // Longer ones are refused unread.
            let size = (size / 2).min(LONGEST);
            let pair = json!({"old": old.of(size), "new": new.of(size)});
            Asked::json("/v1/schemas/compare", pair.to_string())
        })
    });
    let alone = ALONE.iter().map(|&(name, text)| {
        Shape::new(format!("parse a schema: {name}"), move |size| {
            let schema = json!({"schema": text.of(size.min(LONGEST))});
            Asked::json("/v1/schemas/parse", schema.to_string())
        })
    });
    files
        .chain(rendered)
        .chain(schemas)
        .chain(alone)
        .chain(judged())
        .collect()
}

/// Policies and exceptions that come with a comparison.
fn judged() -> Vec<Shape> {
    const CHANGED: Text = text("", "- func: a{i}(Tensor self, int b) -> Tensor\n", "");
    const TO: Text = text("", "- func: a{i}(Tensor self, float b) -> Tensor\n", "");
    let with = |name: &str, extra: fn(usize) -> serde_json::Value| {
        Shape::new(format!("compare with {name}"), move |size| {
            let quarter = size / 4;
            compare(&CHANGED.of(quarter), &TO.of(quarter), extra(size / 2))
        })
    };
    vec![
        with(
            "tags of a policy",
            |size| json!({"policy": {"tags": many(size, "ignore")}}),
        ),
        with(
            "namespaces of a policy",
            |size| json!({"policy": {"namespaces": many(size, "ignore")}}),
        ),
        with(
            "unknown members of a policy",
            |size| json!({"policy": many(size, "x")}),
        ),
        with(
            "a policy that is no policy",
            |size| json!({"policy": {"profile": "strct".repeat(size / 5)}}),
        ),
        with(
            "members that nobody knows",
            |size| json!({"more": many(size, "x")}),
        ),
        with(
            "exceptions",
            |size| json!({"exceptions": exceptions(size, |at| format!("a{at}"))}),
        ),
        with(
            "exceptions of patterns",
            |size| json!({"exceptions": exceptions(size, |at| format!("*a*{at}*"))}),
        ),
        with(
            "an exception of a long pattern",
            |size| json!({"exceptions": [{"operator": "*a".repeat(size / 2), "rule": "*", "reason": "x", "broad": true}]}),
        ),
        with(
            "an exception of a long rule",
            |size| json!({"exceptions": [{"operator": "a", "rule": "*-".repeat(size / 2), "reason": "x", "broad": true}]}),
        ),
        with(
            "an exception of a long argument",
            |size| json!({"exceptions": [{"operator": "*", "rule": "*", "argument": "?*".repeat(size / 2), "reason": "x", "broad": true}]}),
        ),
        with(
            "exceptions of near rules",
            |size| json!({"exceptions": exceptions(size, |_| "a".to_owned()).into_iter().map(|mut e| { e["rule"] = json!("argument-renamd"); e }).collect::<Vec<_>>()}),
        ),
        Shape::new("compare: a title", |size| {
            let side =
                |title: String| json!({"files": {"native_functions.yaml": SMALL}, "title": title});
            let body = json!({"base": side("t".repeat(size)), "head": side("<".into())});
            Asked::json("/v1/compare", body.to_string()).accept("text/markdown")
        }),
        Shape::new("compare: in many parts", |size| {
            let old = text("", "- func: a{i}(Tensor self, int b) -> Tensor\n", "").of(size / 2);
            let mut asked = compare(&old, &TO.of(size / 2), json!({})).accept("text/markdown");
            asked.path.push_str("?max_chars=3000");
            asked
        }),
    ]
}

fn many(size: usize, value: &str) -> serde_json::Value {
    let members = (0..size / 20).map(|at| (format!("name{at}"), json!(value)));
    serde_json::Value::Object(members.collect())
}

fn exceptions(size: usize, operator: fn(usize) -> String) -> Vec<serde_json::Value> {
    let one = |at| json!({"operator": operator(at), "rule": "*", "reason": "x", "broad": true});
    (0..size / 60).map(one).collect()
}

/// A comparison of two files, with more members.
pub fn compare(old: &str, new: &str, extra: serde_json::Value) -> Asked {
    let side = |text: &str| json!({"files": {"native_functions.yaml": text}});
    let mut body = json!({"base": side(old), "head": side(new)});
    if let (Some(body), serde_json::Value::Object(extra)) = (body.as_object_mut(), extra) {
        body.extend(extra);
    }
    Asked::json("/v1/compare", body.to_string())
}

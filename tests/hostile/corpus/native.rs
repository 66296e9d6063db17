//! `native_functions.yaml`, validated and parsed, with answers of every form.

use super::{entries, marks, signatures};
use crate::shape::{Asked, Shape, Text};

/// Every text.
fn texts() -> impl Iterator<Item = &'static (&'static str, Text)> {
    let all = [marks::TEXTS, entries::TEXTS, signatures::TEXTS];
    all.into_iter().flatten()
}

pub fn shapes() -> Vec<Shape> {
    let validated = texts().map(|&(name, text)| {
        Shape::new(format!("validate: {name}"), move |size| {
            Asked::yaml("/v1/validate", text.of(size))
        })
    });
    // The other forms of an answer, and the other routes that read a file.
    let some =
        |names: &'static [&'static str]| texts().filter(move |(name, _)| names.contains(name));
    const LOUD: &[&str] = &[
        "null entries",
        "one operator again and again",
        "schemas that are none",
        "control characters on one line",
    ];
    let sarif = some(LOUD).map(|&(name, text)| {
        Shape::new(format!("validate as SARIF: {name}"), move |size| {
            Asked::yaml("/v1/validate", text.of(size)).accept("application/sarif+json")
        })
    });
    let markdown = some(LOUD).map(|&(name, text)| {
        Shape::new(format!("validate as Markdown: {name}"), move |size| {
            Asked::yaml("/v1/validate", text.of(size)).accept("text/markdown")
        })
    });
    let plain = some(LOUD).map(|&(name, text)| {
        Shape::new(format!("validate as text: {name}"), move |size| {
            Asked::yaml("/v1/validate", text.of(size)).accept("text/plain")
        })
    });
    const READ: &[&str] = &[
        "operators",
        "one operator again and again",
        "in-place with an autogen",
        "arguments",
        "null entries",
        "namesakes of one with all keys",
    ];
    let parsed = some(READ).map(|&(name, text)| {
        Shape::new(format!("parse: {name}"), move |size| {
            Asked::yaml("/v1/parse?generated=include", text.of(size))
        })
    });
    const DECLARED: &[&str] = &[
        "arguments",
        "returns",
        "outs of one operator",
        "list sizes",
        "spread defaults",
    ];
    let declared = some(DECLARED).map(|&(name, text)| {
        Shape::new(format!("signatures: {name}"), move |size| {
            Asked::yaml("/v1/signatures?operator=f&key=CPU", text.of(size))
        })
    });
    const OLD: &[&str] = &["operators", "views", "ufunc dtypes", "an unknown type each"];
    let old = some(OLD).map(|&(name, text)| {
        Shape::new(format!("validate as 2.0: {name}"), move |size| {
            Asked::yaml("/v1/validate?release=2.0", text.of(size))
        })
    });
    validated
        .chain(sarif)
        .chain(markdown)
        .chain(plain)
        .chain(parsed)
        .chain(declared)
        .chain(old)
        .collect()
}

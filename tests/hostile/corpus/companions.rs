//! The files that stand beside `native_functions.yaml`.

use super::{backends, derivatives, tags, vendors};
use crate::shape::{Asked, Shape, Text, text};

/// Files by name.
pub type Files = &'static [(&'static str, Text)];

pub const NATIVE: &str = "native_functions.yaml";
pub const TAGS: &str = "tags.yaml";
pub const DERIVATIVES: &str = "derivatives.yaml";
pub const DEPRECATED: &str = "deprecated.yaml";
pub const BACKEND: &str = "backends/acme.yaml";
pub const OBSERVED: &str = "observed.json";

pub const OPERATOR: Text = text("- func: f(Tensor self) -> Tensor\n", "", "");
pub const OPERATORS: Text = text("", "- func: operator_{x}(Tensor self) -> Tensor\n", "");
pub const KERNELS: Text = text(
    "",
    "- func: operator_{x}(Tensor self) -> Tensor\n  dispatch: {CPU: k, CUDA: k}\n",
    "",
);
pub const VENDOR: &str = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n";

/// Bundles that are validated; every file gets an equal part of the size.
fn bundles() -> impl Iterator<Item = &'static (&'static str, Files)> {
    let all = [
        derivatives::BUNDLES,
        tags::BUNDLES,
        backends::BUNDLES,
        vendors::BUNDLES,
    ];
    all.into_iter().flatten()
}

pub fn shapes() -> Vec<Shape> {
    let bundles = bundles().map(|&(name, files)| {
        Shape::new(format!("validate a bundle: {name}"), move |size| {
            Asked::bundle("/v1/validate", &made(files, size))
        })
    });
    let parts = |name: &'static str| {
        Shape::new(format!("validate a bundle: {name}"), move |size| {
            let count = match name {
                "a thousand backends" => 990,
                _ => 20,
            };
            let backends: Vec<String> = (0..count)
                .map(|at| format!("backends/b{at}.yaml"))
                .collect();
            let native = OPERATORS.of(size / 2);
            let backend = text(VENDOR, "- operatr_{x}\n", "").of(size / 2 / count);
            let mut files = vec![(NATIVE, native)];
            files.extend(backends.iter().map(|name| (&**name, backend.clone())));
            Asked::bundle("/v1/validate", &files)
        })
    };
    let observed_first = Shape::new(
        "validate a bundle: observed before many small parts",
        |size| {
            let observed = text(
                r#"{"registrations": {"CPU": {"a.cpp": ["#,
                r#""f","#,
                r#""f"]}}}"#,
            )
            .of(size);
            let names: Vec<String> = (0..990).map(|at| format!("backends/b{at}.yaml")).collect();
            let mut files = vec![(OBSERVED, observed)];
            files.extend(names.iter().map(|name| (&**name, String::new())));
            files.push((NATIVE, OPERATOR.of(1)));
            Asked::bundle("/v1/validate", &files)
        },
    );
    bundles
        .chain([
            parts("a thousand backends"),
            parts("twenty backends"),
            observed_first,
        ])
        .collect()
}

fn made(files: Files, size: usize) -> Vec<(&'static str, String)> {
    let large = files.iter().filter(|(_, text)| !text.piece.is_empty());
    let share = size / large.count().max(1);
    let of = |text: &Text| match text.piece.is_empty() {
        true => text.head.to_owned(),
        false => text.of(share),
    };
    files.iter().map(|(name, text)| (*name, of(text))).collect()
}

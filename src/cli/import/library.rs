//! Reads the schemas of an operator library into a bundle.

use std::path::Path;

use anyhow::bail;

use crate::cli::read;
use opatlas_diff::official;
use opatlas_source::{BACKENDS, Bundle, LineIndex};

/// Reads a file with one schema per line. Fails if a schema is invalid, or the namespace cannot be
/// a file name.
pub(super) fn bundle(file: &Path, namespace: &str) -> anyhow::Result<Bundle> {
    let shown = file.display();
    let text = read::given_text(file)?;
    let name = format!("{BACKENDS}{namespace}.yaml");
    if !Bundle::is_file_name(&name) {
        bail!("`{namespace}` is not a namespace");
    }
    let mut schemas = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        match official::parse(line) {
            Ok(schema) => schemas.push(stored(line, &schema)),
            Err(errors) => {
                let Some(first) = errors.first() else {
                    continue;
                };
                let at = LineIndex::new(line).line_column(line, first.span.start);
                bail!("{shown}:{number}:{}: {}", at.column, &*first.message);
            }
        }
    }
    // JSON is valid YAML.
    let library = serde_json::json!({"namespace": namespace, "schemas": schemas});
    let mut bundle = Bundle::of_native_functions(&b"[]\n"[..]);
    bundle.insert(&name, format!("{library:#}\n").into_bytes());
    Ok(bundle)
}

/// PyTorch's canonical text, unless PyTorch cannot parse it again, as with the name of a device as
/// a default.
fn stored(line: &str, schema: &official::RuntimeSchema<'_>) -> String {
    let printed = schema.printed();
    let again = official::parse(&printed).map(|schema| schema.printed());
    if again.is_ok_and(|again| again == printed) {
        printed
    } else {
        line.trim().to_owned()
    }
}

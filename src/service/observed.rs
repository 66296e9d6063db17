//! `observed.json`: registrations recorded from a real process, decoded.

use serde_json::{Map, Value};

use opatlas_dispatch::{Observed, ObservedRegistration};

/// What marks a source file whose kernel only passes the call on.
const FALLTHROUGH: &str = "|fallthrough";

/// Reads `{"registrations": {KEY: {FILE: [OPERATOR, ...]}}}`. A file's name may end in
/// `|fallthrough`; an empty name or `?` stands for one that is not known.
///
/// # Errors
/// What is not as it must be, and where.
pub(super) fn read(bytes: &[u8]) -> Result<Observed, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Some(registrations) = object(&value, "the whole")?.get("registrations") else {
        return Ok(Observed::default());
    };
    let keys = object(registrations, "registrations")?;
    let mut rows = Vec::new();
    for (key, files) in keys {
        for (file, operators) in object(files, key)? {
            let operators = operators
                .as_array()
                .ok_or_else(|| format!("`{key}`, `{file}` is no list of operators"))?;
            let (file, fallthrough) = match file.strip_suffix(FALLTHROUGH) {
                Some(file) => (file, true),
                None => (&**file, false),
            };
            for operator in operators {
                let operator = operator
                    .as_str()
                    .ok_or_else(|| format!("`{key}`, `{file}` names an operator by no text"))?;
                rows.push(ObservedRegistration {
                    operator: operator.strip_prefix("aten::").unwrap_or(operator).into(),
                    key: key.as_str().into(),
                    file: (!file.is_empty() && file != "?").then(|| file.into()),
                    fallthrough,
                });
            }
        }
    }
    Ok(Observed::new(rows))
}

fn object<'v>(value: &'v Value, name: &str) -> Result<&'v Map<String, Value>, String> {
    value
        .as_object()
        .ok_or_else(|| format!("`{name}` is no object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_by_key_and_file() {
        let text = br#"{"registrations": {"AutocastCPU": {"autocast_mode.cpp": ["aten::f", "g"]},
            "Meta": {"x.cpp|fallthrough": ["f"]}}}"#;
        let observed = read(text).unwrap();
        let of_f: Vec<_> = observed.of("f").map(|(_, row)| row).collect();
        assert_eq!(of_f.len(), 2);
        assert_eq!(of_f[0].file.as_deref(), Some("autocast_mode.cpp"));
        assert!(of_f[1].fallthrough);
        for bad in [&b"["[..], b"[]", br#"{"registrations": {"CPU": []}}"#] {
            assert!(read(bad).is_err());
        }
    }
}

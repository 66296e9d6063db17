//! Parses the dispatch table dump of a process and compares it with a revision.

use opatlas_dispatch::{Drift, Inputs, Observed, ObservedRegistration, Registrations, drift};
use opatlas_source::{Stop, Stopped};

use super::Json;
use crate::snapshot::Snapshot;

const FALLTHROUGH: &str = "fallthrough ";
const NO_FILE: &str = "null";
/// Maximum number of registrations; PyTorch 2.15 has about 40,000.
const MOST: usize = 400_000;

/// The registrations of a process and its environment.
#[derive(Debug, Clone, Default)]
pub struct Dump {
    /// The release.
    pub torch: String,
    /// The version of the build, such as `2.9.0+cu128`.
    pub build: Option<String>,
    /// The device that the process was started for.
    pub device: String,
    /// The registrations.
    pub process: Observed,
}

impl Dump {
    /// Parses a dump, a list with one dump, or a file of the probe with it as `tables`.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let read = Json::read(text)?;
        let dump = match &read {
            Json::List(list) => list.first().ok_or("the list is empty")?,
            other => other
                .member("tables")
                .filter(|it| it.member("torch").is_some())
                .unwrap_or(other),
        };
        Self::of(dump)
    }

    /// Converts a parsed dump. Fails with what is invalid.
    pub fn of(dump: &Json<'_>) -> Result<Self, String> {
        let text = |value: Option<&Json<'_>>| value.and_then(Json::as_text).map(str::to_owned);
        let torch = text(dump.member("torch")).ok_or("a dump must have the text `torch`")?;
        let Some(Json::Object(operators)) = dump.member("operators") else {
            return Err("a dump must have the object `operators`".to_owned());
        };
        let mut rows = Vec::new();
        for (operator, described) in operators {
            let registrations = match described.member("registrations") {
                Some(Json::Object(registrations)) => registrations,
                None => continue,
                Some(_) => {
                    return Err(format!("`registrations` of `{operator}` must be an object"));
                }
            };
            for (key, source) in registrations {
                let source = source.as_text();
                let source =
                    source.ok_or_else(|| format!("`{key}` of `{operator}` must be text"))?;
                rows.push(registration(operator, key, source));
            }
        }
        if rows.len() > MOST {
            return Err(format!("a dump has at most {MOST} registrations"));
        }
        let build = dump
            .member("build")
            .and_then(|build| build.member("version"));
        let device = dump
            .member("device")
            .and_then(|device| device.member("name"));
        Ok(Self {
            torch,
            build: text(build),
            device: text(device).unwrap_or_default(),
            process: Observed::new(rows),
        })
    }
}

fn registration(operator: &str, key: &str, source: &str) -> ObservedRegistration {
    let (file, fallthrough) = match source.strip_prefix(FALLTHROUGH) {
        Some(file) => (file, true),
        None => (source, false),
    };
    ObservedRegistration {
        operator: operator.strip_prefix("aten::").unwrap_or(operator).into(),
        key: key.into(),
        file: (!file.is_empty() && file != NO_FILE).then(|| file.into()),
        fallthrough,
        boxed: false,
    }
}

impl Snapshot {
    /// Compares a process with the files, and passes the differences to `then`.
    pub fn drift_of<T>(
        &self,
        process: &Observed,
        stop: &Stop,
        then: impl FnOnce(&Drift<'_>) -> T,
    ) -> Result<T, Stopped> {
        // Registrations that were observed in other processes do not count here.
        let unobserved = Observed::default();
        let inputs = Inputs {
            observed: &unobserved,
            ..self.inputs()
        };
        stop.check()?;
        let registrations = Registrations::new(inputs);
        Ok(then(&drift(inputs, &registrations, process, stop)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_are_read_with_their_files() {
        let text = br#"{"device": "meta", "tables": {"torch": "2.9.0",
            "build": {"version": "2.9.0+cpu"}, "device": {"name": "meta"},
            "operators": {"aten::f": {"registrations": {"CPU": "RegisterCPU.cpp",
            "Meta": "fallthrough x.cpp", "XLA": "null"}, "table": 0}, "quantized::g": {}}}}"#;
        let dump = Dump::read(text).unwrap();
        assert_eq!((&*dump.torch, &*dump.device), ("2.9.0", "meta"));
        assert_eq!(dump.build.as_deref(), Some("2.9.0+cpu"));
        let rows = dump.process.rows();
        let files: Vec<_> = rows
            .iter()
            .map(|row| (row.file.as_deref(), row.fallthrough))
            .collect();
        assert_eq!(
            files,
            [
                (Some("RegisterCPU.cpp"), false),
                (Some("x.cpp"), true),
                (None, false)
            ]
        );
        for bad in [
            "[]",
            "{}",
            r#"{"torch": "2.9.0"}"#,
            r#"{"torch": "2.9.0", "operators": {"f": {"registrations": []}}}"#,
            r#"{"torch": "2.9.0", "operators": {"f": {"registrations": {"CPU": 1}}}}"#,
        ] {
            assert!(Dump::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}

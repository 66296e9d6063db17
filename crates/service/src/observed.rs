//! Parses `observed.json`: registrations recorded from a real process.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use opatlas_dispatch::{Observed, ObservedRegistration};

const FALLTHROUGH: &str = "|fallthrough";
const BOXED: &str = "|boxed";
/// Maximum number of registrations; PyTorch 2.15 has about 40,000.
const MOST: usize = 400_000;
/// Maximum total length of keys and source files, counted for every registration.
const MOST_NAMED: usize = 64 << 20;

/// Parses `{"registrations": {KEY: {FILE: [OPERATOR, ...]}}}`. A file name may end in
/// `|fallthrough` or `|boxed`; an empty name or `?` is an unknown file. Fails with what is invalid
/// and where.
pub(super) fn read(bytes: &[u8]) -> Result<Observed, String> {
    let Whole(rows) = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    Ok(Observed::new(rows))
}

fn unmarked<'f>(file: &'f str, mark: &str) -> (&'f str, bool) {
    match file.strip_suffix(mark) {
        Some(file) => (file, true),
        None => (file, false),
    }
}

struct Whole(Vec<ObservedRegistration>);

enum Level<'r> {
    Keys,
    Files { key: &'r str },
    Operators { key: &'r str, file: &'r str },
}

struct Into<'r, 'v> {
    level: Level<'r>,
    rows: &'v mut Vec<ObservedRegistration>,
    named: &'v mut usize,
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WholeVisitor)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `registrations`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Whole, A::Error> {
        let (mut rows, mut named) = (Vec::new(), 0);
        while let Some(member) = map.next_key::<String>()? {
            if member == "registrations" {
                rows.clear();
                map.next_value_seed(Into {
                    level: Level::Keys,
                    rows: &mut rows,
                    named: &mut named,
                })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Whole(rows))
    }
}

impl<'de> DeserializeSeed<'de> for Into<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.level {
            Level::Operators { .. } => deserializer.deserialize_seq(self),
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Into<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Level::Keys => f.write_str("an object of dispatch keys"),
            Level::Files { key } => write!(f, "an object of source files in `{key}`"),
            Level::Operators { key, file } => {
                write!(f, "a list of operators in `{key}`, `{file}`")
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let level = match self.level {
                Level::Files { key } => Level::Operators { key, file: &name },
                _ => Level::Files { key: &name },
            };
            map.next_value_seed(Into {
                level,
                rows: self.rows,
                named: self.named,
            })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Level::Operators { key, file } = self.level else {
            return Err(Error::invalid_type(serde::de::Unexpected::Seq, &self));
        };
        let (file, fallthrough) = unmarked(file, FALLTHROUGH);
        let (file, boxed) = unmarked(file, BOXED);
        while let Some(operator) = list.next_element::<String>()? {
            *self.named += key.len() + file.len();
            if self.rows.len() == MOST || *self.named > MOST_NAMED {
                return Err(Error::custom(format!(
                    "at most {MOST} registrations, with at most {MOST_NAMED} bytes of names"
                )));
            }
            self.rows.push(ObservedRegistration {
                operator: operator.strip_prefix("aten::").unwrap_or(&operator).into(),
                key: key.into(),
                file: (!file.is_empty() && file != "?").then(|| file.into()),
                fallthrough,
                boxed,
            });
        }
        Ok(())
    }
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
        let long = "x".repeat(MOST_NAMED / 1000);
        let many = vec!["\"\""; 1001].join(",");
        let long = format!(r#"{{"registrations": {{"{long}": {{"": [{many}]}}}}}}"#);
        for bad in [
            &b"["[..],
            long.as_bytes(),
            b"[]",
            br#"{"registrations": {"CPU": []}}"#,
            br#"{"registrations": {"CPU": {"x.cpp": [1]}}}"#,
            br#"{"registrations": []}"#,
        ] {
            assert!(read(bad).is_err());
        }
        assert!(read(br#"{"torch": [{}]}"#).unwrap().rows().is_empty());
    }
}

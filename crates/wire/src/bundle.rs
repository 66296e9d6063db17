//! Bundles as JSON: their files by name.

use std::fmt;

use opatlas_source::Bundle;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use opatlas_service::{Limits, Refusal};

/// A bundle as JSON: its files by name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Bundle, example = json!({
    "files": {"native_functions.yaml": "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"}
}))]
pub struct BundleJson {
    /// The files: `native_functions.yaml`, and optionally `tags.yaml`, `derivatives.yaml`,
    /// `deprecated.yaml`, `fallback_ops.py`, `backends/NAME.yaml` and `observed.json`. At most 1,000 files, 8 MiB each
    /// and 16 MiB in total; the rest of the body is at most 1 MiB.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub files: Files,
}

/// Files by name.
#[derive(Debug)]
pub struct Files(Vec<(String, String)>);

impl Files {
    /// Checks files against the limits of one request. Fails with the exceeded limit.
    pub fn check<'f>(all: impl Iterator<Item = &'f Self>, limits: &Limits) -> Result<(), Refusal> {
        let (mut count, mut bytes) = (0, 0);
        for (_, text) in all.flat_map(|files| &files.0) {
            count += 1;
            bytes += text.len();
        }
        if count > limits.files {
            return Err(Refusal::Files {
                limit: limits.files,
            });
        }
        if bytes > limits.bundle_bytes {
            Err(Refusal::BundleSize {
                limit: limits.bundle_bytes,
            })
        } else {
            Ok(())
        }
    }

    /// The bundle of these files. Fails if a file occurs twice.
    pub fn bundle(self) -> Result<Bundle, Refusal> {
        let mut bundle = Bundle::default();
        for (name, text) in self.0 {
            insert(&mut bundle, &name, text.into_bytes())?;
        }
        Ok(bundle)
    }
}

/// The size of the file texts in a JSON body of a bundle or a comparison, in bytes of JSON.
/// Allocates nothing, so it can check a body before that is parsed. Fails if the body is not JSON,
/// or a member on the way to the texts is not an object.
pub fn text_bytes(body: &[u8]) -> serde_json::Result<usize> {
    serde_json::from_slice(body).map(|outline: Outline| outline.bytes())
}

#[derive(Deserialize)]
struct Outline {
    #[serde(default)]
    files: Option<TextBytes>,
    #[serde(default)]
    base: Option<Side>,
    #[serde(default)]
    head: Option<Side>,
}

#[derive(Deserialize)]
struct Side {
    #[serde(default)]
    files: Option<TextBytes>,
}

#[derive(Clone, Copy)]
struct TextBytes(usize);

impl Outline {
    fn bytes(&self) -> usize {
        let sides = [&self.base, &self.head].into_iter().flatten();
        let files = sides.map(|side| side.files).chain([self.files]);
        files.flatten().map(|texts| texts.0).sum()
    }
}

impl<'de> Deserialize<'de> for TextBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lengths;

        impl<'de> Visitor<'de> for Lengths {
            type Value = TextBytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of file names and texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TextBytes, A::Error> {
                let mut sum = 0;
                while let Some((_, text)) = map.next_entry::<IgnoredAny, &RawValue>()? {
                    sum += text.get().len();
                }
                Ok(TextBytes(sum))
            }
        }

        deserializer.deserialize_map(Lengths)
    }
}

/// Adds a file to a bundle. Fails if the bundle already has a file of this name.
pub fn insert(bundle: &mut Bundle, name: &str, bytes: Vec<u8>) -> Result<(), Refusal> {
    if bundle.file(name).is_some() {
        return Err(Refusal::Twice(name.chars().take(128).collect()));
    }
    bundle.insert(name, bytes);
    Ok(())
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Files;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of file names and texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Files, A::Error> {
                let mut files = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    files.push(pair);
                }
                Ok(Files(files))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_files_are_measured_where_files_can_be() {
        let texts = |body: &str| text_bytes(body.as_bytes()).ok();
        assert_eq!(
            texts(r#"{"files": {"a": "b\n", "long name": ""}}"#),
            Some(7)
        );
        let sides =
            r#"{"base": {"title": "x", "files": {"a": "1"}}, "head": {"files": {"b": "22"}}}"#;
        assert_eq!(texts(sides), Some(7));
        assert_eq!(texts(r#"{"policy": {"files": {"a": "b"}}}"#), Some(0));
        assert_eq!(texts(r#"{"files": null, "base": null}"#), Some(0));
        for body in [
            "",
            r#"{"files": {"a": "b"}"#,
            r#"{"files": []}"#,
            r#"{"base": 1}"#,
        ] {
            assert_eq!(texts(body), None, "{body}");
        }
    }
}

//! Bundles as JSON: their files by name.

use std::fmt;

use opatlas_source::Bundle;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use utoipa::ToSchema;

use crate::service::Refusal;
use crate::wire::lift::Lifted;

/// A bundle as JSON: its files by name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Bundle, example = json!({
    "files": {"native_functions.yaml": "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"}
}))]
pub struct BundleJson {
    /// The files: `native_functions.yaml`, and where there are any `tags.yaml`,
    /// `derivatives.yaml`, `deprecated.yaml`, `backends/NAME.yaml` and `observed.json`. At most
    /// 1,000 files, 8 MiB each and 16 MiB together; everything else of the body is at most 1 MiB.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub files: Files,
}

/// Files by name, each with the number of its text ([`crate::wire::lift`]).
#[derive(Debug)]
pub struct Files(Vec<(String, String)>);

impl Files {
    /// The bundle of these files; their texts are taken out of `lifted`.
    ///
    /// # Errors
    /// When a file is there twice.
    pub fn bundle(self, lifted: &mut Lifted) -> Result<Bundle, Refusal> {
        let mut bundle = Bundle::default();
        for (name, number) in self.0 {
            let number = number.parse::<usize>().ok();
            let text = number.and_then(|number| lifted.texts.get_mut(number));
            insert(
                &mut bundle,
                &name,
                text.map(std::mem::take).unwrap_or_default(),
            )?;
        }
        Ok(bundle)
    }
}

pub(crate) fn insert(bundle: &mut Bundle, name: &str, bytes: Vec<u8>) -> Result<(), Refusal> {
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

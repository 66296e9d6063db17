//! `[vendor]` of `opatlas.toml`.

use std::collections::BTreeMap;

use anyhow::bail;
use serde::{Deserialize, Serialize};

/// A vendor profile as a user writes it. Fields of the mapping that are not set keep the defaults of
/// [`Profile`](opatlas_operators::backend::vendor::Profile).
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::cli) struct VendorText {
    name: String,
    key: String,
    namespace: String,
    cpp_namespace: String,
    spellings: Vec<String>,
    keys: Vec<String>,
    fields: Vec<String>,
    versions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lists: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delegates: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autograd: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autograd_only: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_if: Option<BTreeMap<String, bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<Vec<String>>,
    /// The file of the vendor's repository that names the release of PyTorch.
    #[serde(skip_serializing)]
    pin_file: String,
    /// The text around the release in it, such as `torch=={version}`.
    #[serde(skip_serializing)]
    pin_pattern: String,
}

impl VendorText {
    /// The profile as `vendor.yaml` of a bundle. JSON is valid YAML.
    pub(in crate::cli) fn yaml(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Fails if only one of the two is set, or the pattern lacks `{version}`.
    pub(in crate::cli) fn pin(&self) -> anyhow::Result<Option<Pin>> {
        match (
            self.pin_file.as_str(),
            self.pin_pattern.split_once("{version}"),
        ) {
            ("", None) if self.pin_pattern.is_empty() => Ok(None),
            (file, Some((before, after))) if !file.is_empty() => Ok(Some(Pin {
                file: file.to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
            })),
            _ => bail!(
                "[vendor] of opatlas.toml needs both `pin_file` and a `pin_pattern` with \
                 `{{version}}`, such as torch=={{version}}"
            ),
        }
    }
}

/// The place in a vendor's repository that pins the PyTorch release of a commit.
#[derive(Debug)]
pub(in crate::cli) struct Pin {
    pub(in crate::cli) file: String,
    before: String,
    after: String,
}

impl Pin {
    pub(in crate::cli) fn version(&self, text: &str) -> Option<String> {
        text.match_indices(&*self.before).find_map(|(at, before)| {
            let rest = text.get(at + before.len()..)?;
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let version = rest.get(..end.unwrap_or(rest.len()))?;
            let is_it = !version.is_empty() && rest[version.len()..].starts_with(&*self.after);
            is_it.then(|| version.trim_end_matches('.').to_owned())
        })
    }
}

//! `opatlas.toml`: the policy and the exceptions that a repository checks in.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use super::over::{Pin, VendorText};
use crate::service::policy::{ExceptionText, PolicyText, expect_few};
use opatlas_diff::policy::{Exception, Policy};

/// The file that is read where nothing else is named.
const FILE: &str = "opatlas.toml";

/// What the file holds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    policy: Option<PolicyText>,
    #[serde(default, rename = "exception")]
    exceptions: Vec<ExceptionText>,
    vendor: Option<VendorText>,
}

/// The policy, if the file has one, and its exceptions.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) policy: Option<Policy>,
    pub(super) exceptions: Vec<Exception>,
}

/// Whether an exception comes from the file, and not from the store.
pub(super) fn is_checked_in(exception: &Exception) -> bool {
    exception.id.starts_with(FILE)
}

/// The vendor profile of `opatlas.toml`, as a bundle holds it.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn vendor() -> anyhow::Result<Option<String>> {
    Ok(vendor_text()?.map(|vendor| vendor.yaml()))
}

/// Where a vendor's repository names the release of PyTorch, if `opatlas.toml` says so.
///
/// # Errors
/// If the file cannot be read, or says half of it.
pub(super) fn pin() -> anyhow::Result<Option<Pin>> {
    match vendor_text()? {
        Some(vendor) => vendor.pin(),
        None => Ok(None),
    }
}

fn vendor_text() -> anyhow::Result<Option<VendorText>> {
    if !Path::new(FILE).is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
    let config: Config = toml::from_str(&text).with_context(|| format!("{FILE} is invalid"))?;
    Ok(config.vendor)
}

/// Reads the file that is named, or `opatlas.toml` where there is one.
///
/// # Errors
/// If a named file cannot be read or is invalid: a comparison with another policy than intended
/// would be meaningless.
pub(super) fn read(named: Option<&Path>) -> anyhow::Result<Checked> {
    let path = match named {
        Some(path) => path,
        None if Path::new(FILE).is_file() => Path::new(FILE),
        None => return Ok(Checked::default()),
    };
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let config: Config = toml::from_str(&text).with_context(|| format!("{shown} is invalid"))?;
    let policy = match config.policy {
        None => None,
        Some(policy) => match policy.policy() {
            Ok(policy) => Some(policy),
            Err(fault) => bail!("{shown}: [policy] {fault}"),
        },
    };
    let mut exceptions = Vec::with_capacity(config.exceptions.len());
    for (i, text) in config.exceptions.iter().enumerate() {
        let id = format!("{FILE}#{}", i + 1);
        match text.exception(id) {
            Ok(exception) => exceptions.push(exception),
            Err(fault) => bail!("{shown}: [[exception]] number {}, {fault}", i + 1),
        }
    }
    if let Err(fault) = expect_few(&exceptions) {
        bail!("{shown}: {fault}");
    }
    Ok(Checked { policy, exceptions })
}

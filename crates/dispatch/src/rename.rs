//! Key names of an out-of-tree backend that uses `PrivateUse1` under its own name.
//!
//! `torch.utils.rename_privateuse1_backend("npu")` renames only the device, not the runtime's keys. Code
//! generators of such backends use its upper-case name in keys (`NPU`, `AutogradNPU`, `SparseNPU`,
//! `AutocastNPU`), and so does Opatlas. It accepts both forms, in any case (`Autogradnpu`).

use std::borrow::Cow;
use std::fmt;

use opatlas_pytorch::keys::{Key, Keys};

const PRIVATE: &str = "PrivateUse1";

/// The name of the backend on `PrivateUse1`.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct BackendName {
    upper: Box<str>,
}

/// Why a backend on `PrivateUse1` cannot have a name.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum BackendNameError {
    /// Names are ASCII letters, digits and `_`, start with a letter, and have at most 40 characters.
    Malformed,
    /// A key of the release would get the same name.
    Taken,
}

impl BackendName {
    /// Reads a device name such as `npu`, for the keys of a release.
    ///
    /// # Errors
    /// [`BackendNameError`] if the name cannot be used in keys.
    pub fn parse(text: &str, keys: &Keys) -> Result<Self, BackendNameError> {
        let letters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        if !letters || !begins || text.len() > 40 {
            return Err(BackendNameError::Malformed);
        }
        let name = Self {
            upper: text.to_ascii_uppercase().into(),
        };
        let own = keys.names().filter(|key| key.contains(PRIVATE));
        let clashes =
            |renamed: Cow<str>| keys.names().any(|key| key.eq_ignore_ascii_case(&renamed));
        if own.map(|key| name.renamed(key)).any(clashes) {
            return Err(BackendNameError::Taken);
        }
        Ok(name)
    }

    /// `NPU`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.upper
    }

    /// The name of a key for users of the backend: `AutogradNPU`.
    #[must_use]
    pub fn name(&self, keys: &Keys, key: Key) -> Cow<'static, str> {
        self.renamed(keys.name(key))
    }

    /// The runtime's name of a key: `AutogradPrivateUse1` for `AutogradNPU`. Other names are unchanged.
    #[must_use]
    pub fn runtime_name<'t>(&self, keys: &Keys, text: &'t str) -> Cow<'t, str> {
        if keys.lookup(text).is_some() {
            return Cow::Borrowed(text);
        }
        let prefix = text.len().checked_sub(self.upper.len());
        let split = prefix.and_then(|at| text.split_at_checked(at));
        match split {
            Some((prefix, own)) if own.eq_ignore_ascii_case(&self.upper) => {
                let name = format!("{prefix}{PRIVATE}");
                if keys.lookup(&name).is_some() {
                    Cow::Owned(name)
                } else {
                    Cow::Borrowed(text)
                }
            }
            _ => Cow::Borrowed(text),
        }
    }

    fn renamed(&self, name: &'static str) -> Cow<'static, str> {
        match name.strip_suffix(PRIVATE) {
            Some(prefix) => Cow::Owned(format!("{prefix}{}", self.upper)),
            None => Cow::Borrowed(name),
        }
    }
}

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.upper)
    }
}

impl fmt::Display for BackendNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "a backend's name is letters, digits and `_`, begins with a letter and has at most 40 characters",
            Self::Taken => "a dispatch key of this release already has this name",
        })
    }
}

impl std::error::Error for BackendNameError {}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;

    #[test]
    fn every_name_is_printed_and_read_back() {
        for release in Release::all() {
            let keys = Keys::of(release);
            let npu = BackendName::parse("npu", keys).unwrap();
            for name in keys.names() {
                let key = keys.lookup(name).unwrap();
                let printed = npu.name(keys, key);
                assert_eq!(printed, name.replace(PRIVATE, "NPU"));
                assert_eq!(npu.runtime_name(keys, &printed), name);
                assert_eq!(npu.runtime_name(keys, name), name);
            }
        }
    }

    #[test]
    fn only_the_backends_part_may_vary_in_case() {
        let keys = Keys::of(Release::LATEST);
        let npu = BackendName::parse("npu", keys).unwrap();
        let cases = [
            ("npu", "PrivateUse1"),
            ("AutogradNpu", "AutogradPrivateUse1"),
            ("autogradNPU", "autogradNPU"),
            ("NPUs", "NPUs"),
            ("CPU", "CPU"),
            ("éNPU", "éNPU"),
        ];
        for (text, expected) in cases {
            assert_eq!(npu.runtime_name(keys, text), expected);
        }
    }

    #[test]
    fn names_that_would_be_unclear_are_refused() {
        let keys = Keys::of(Release::LATEST);
        for text in ["cpu", "Meta", "xla", "other", "nestedtensor"] {
            assert_eq!(
                BackendName::parse(text, keys),
                Err(BackendNameError::Taken),
                "{text}"
            );
        }
        for text in ["", "1pu", "n-pu", "nü", &"n".repeat(41)] {
            assert_eq!(
                BackendName::parse(text, keys),
                Err(BackendNameError::Malformed),
                "{text}"
            );
        }
    }
}

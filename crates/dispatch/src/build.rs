//! Build profiles: the backends that a build of PyTorch leaves out. Builds from the same file have
//! different tables (`docs/spec/dispatch.md`, sections 6.11 and 8.4).

use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest_few;

/// The backends that a build leaves out, with all of their functionalities (`MPS`, `SparseMPS`,
/// `SparseCsrMPS`, ...). Their autograd keys stay, because autograd is compiled into every build.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Build {
    /// Sorted, without duplicates.
    left_out: Vec<&'static str>,
}

/// The profiles and the backends that they leave out. A release ignores backends that it does not know.
const PROFILES: [(&str, &[&str]); 4] = [
    ("all", &[]),
    ("linux-cuda", &["MPS", "MTIA", "XPU"]),
    ("cpu", &["CUDA", "MPS", "MTIA", "XPU"]),
    ("macos", &["CUDA", "MTIA", "XPU"]),
];

/// A text that is neither a profile nor a list of backends of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBuild {
    /// The unknown part.
    pub text: Box<str>,
    /// Similar names, most similar first.
    pub suggestions: Vec<&'static str>,
}

impl Build {
    /// Leaves nothing out.
    pub const ALL: Self = Self {
        left_out: Vec::new(),
    };

    /// A profile (`all`, `linux-cuda`, `cpu`, `macos`), or a comma-separated list of backends to leave out
    /// (`MPS,XPU`).
    ///
    /// # Errors
    /// [`UnknownBuild`] for the first unknown name.
    pub fn parse(text: &str, release: Release) -> Result<Self, UnknownBuild> {
        let text = text.trim();
        if let Some((_, left_out)) = PROFILES.iter().find(|(name, _)| *name == text) {
            return Ok(Self {
                left_out: left_out.to_vec(),
            });
        }
        let backends = release.data().runtime.backends;
        let mut left_out = Vec::new();
        for name in text.split(',').map(str::trim) {
            let backend = backends.find(name).ok_or_else(|| {
                let profiles = PROFILES.iter().map(|(name, _)| *name);
                UnknownBuild {
                    text: name.chars().take(40).collect(),
                    suggestions: nearest_few(name, profiles.chain(backends.iter()), 3)
                        .into_iter()
                        .filter_map(|near| Self::known_name(near, release))
                        .collect(),
                }
            })?;
            left_out.push(backend);
        }
        left_out.sort_unstable();
        left_out.dedup();
        Ok(Self { left_out })
    }

    fn known_name(name: &str, release: Release) -> Option<&'static str> {
        let profile = PROFILES.iter().find(|(profile, _)| *profile == name);
        profile
            .map(|(profile, _)| *profile)
            .or_else(|| release.data().runtime.backends.find(name))
    }

    /// The name of the profile, if it is one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let profile = PROFILES.iter().find(|(_, out)| *out == self.left_out);
        profile.map(|(name, _)| *name)
    }

    /// The backends that are left out, sorted.
    #[must_use]
    pub fn left_out(&self) -> &[&'static str] {
        &self.left_out
    }

    /// The runtime keys without kernels in this build.
    #[must_use]
    pub fn dropped(&self, keys: &Keys) -> KeySet {
        if self.left_out.is_empty() {
            return KeySet::EMPTY;
        }
        let is_dropped = |slot: &_| {
            let backend = keys.backend(*slot);
            backend.is_some_and(|backend| self.left_out.contains(&backend))
                && keys.functionality(*slot) != "AutogradFunctionality"
        };
        keys.slots().filter(is_dropped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let build = Build::parse(text, Release::V2_9).unwrap();
        assert_eq!(build.left_out(), expected, "{text}");
    }

    #[test]
    fn profiles_and_lists() {
        check("all", &[]);
        check("linux-cuda", &["MPS", "MTIA", "XPU"]);
        check("cpu", &["CUDA", "MPS", "MTIA", "XPU"]);
        check("XPU, MPS,XPU", &["MPS", "XPU"]);
        let same = Build::parse("XPU,MTIA,MPS", Release::V2_9).unwrap();
        assert_eq!(same.name(), Some("linux-cuda"));
    }

    #[test]
    fn unknown_names_are_refused_with_near_ones() {
        let refused = Build::parse("linux-cud", Release::V2_9).unwrap_err();
        assert_eq!(refused.suggestions, ["linux-cuda"]);
        let refused = Build::parse("MPS,CUDAA", Release::V2_9).unwrap_err();
        assert_eq!((&*refused.text, refused.suggestions[0]), ("CUDAA", "CUDA"));
        assert!(Build::parse("MAIA", Release::V2_0).is_err());
    }

    #[test]
    fn autograd_keys_stay() {
        let keys = Keys::of(Release::V2_15);
        let dropped = Build::parse("linux-cuda", Release::V2_15)
            .unwrap()
            .dropped(keys);
        for name in [
            "MPS",
            "SparseMPS",
            "SparseCsrXPU",
            "NestedTensorXPU",
            "MTIA",
        ] {
            assert!(dropped.contains(keys.slot(name).unwrap()), "{name}");
        }
        for name in [
            "CPU",
            "AutogradMPS",
            "NestedTensorHPU",
            "QuantizedMeta",
            "AutocastMPS",
        ] {
            assert!(!dropped.contains(keys.slot(name).unwrap()), "{name}");
        }
    }
}

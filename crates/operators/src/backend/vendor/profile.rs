//! Profiles for vendors' files (`docs/spec/vendors.md`, section 1).

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{VENDOR, message};
use opatlas_yaml::{Kind, NodeId, Root, Tree};

/// How to interpret a vendor's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The vendor's name.
    pub name: Box<str>,
    /// The dispatch key of its kernels.
    pub key: Box<str>,
    /// Spellings of that key in its files, such as `NPU` for `PrivateUse1`.
    pub spellings: Vec<Box<str>>,
    /// The namespace of its own operators.
    pub namespace: Box<str>,
    /// Keys that backend files do not have.
    pub keys: Vec<Box<str>>,
    /// Fields of entries besides `func`; empty means any.
    pub fields: Vec<Box<str>>,
    /// Fields that select releases.
    pub versions: Vec<Box<str>>,
    /// The C++ namespace of its kernels, as a default.
    pub cpp_namespace: Box<str>,
}

const LISTS: [&str; 4] = ["spellings", "keys", "fields", "versions"];

const TEXTS: [&str; 4] = ["name", "key", "namespace", "cpp_namespace"];

const MOST_NAMES: usize = 256;

fn owned(list: &[&str]) -> Vec<Box<str>> {
    list.iter().map(|&text| text.into()).collect()
}

impl Profile {
    /// Ascend: `npu_native_functions.yaml` and the files of its operator plugin.
    #[must_use]
    pub fn ascend() -> Self {
        Self {
            name: "Ascend".into(),
            key: "PrivateUse1".into(),
            spellings: owned(&["NPU"]),
            namespace: "npu".into(),
            keys: owned(&[
                "all_version",
                "official",
                "custom",
                "custom_autograd",
                "custom_supported",
                "backward",
                "tocpu",
                "unsupported",
                "quant",
            ]),
            fields: owned(&[
                "acl_op",
                "bscpp_op",
                "device_check",
                "dispatch",
                "dvm",
                "exposed",
                "gen_opapi",
                "impl_ns",
                "internal_format_opapi",
                "op_api",
                "sparse",
                "structured",
                "structured_delegate",
                "tags",
                "use_const_ref_for_mutable_tensors",
                "variants",
                "version",
            ]),
            versions: owned(&["acl_op", "op_api", "sparse", "version"]),
            cpp_namespace: "at_npu::native".into(),
        }
    }

    /// XPU: a second `native_functions.yaml` in addition to PyTorch's.
    #[must_use]
    pub fn xpu() -> Self {
        Self {
            name: "XPU".into(),
            key: "XPU".into(),
            namespace: "aten".into(),
            cpp_namespace: "at::native".into(),
            ..Self::default()
        }
    }

    /// A library of operators without a dispatch key.
    #[must_use]
    pub fn library(namespace: &str) -> Self {
        Self {
            name: namespace.into(),
            namespace: namespace.into(),
            ..Self::default()
        }
    }

    /// Reads a profile, `vendor.yaml`: a mapping with the fields of this type.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let (text, mut diagnostics) = opatlas_yaml::decode(bytes);
        if let Some(first) = diagnostics.pop() {
            return Err(first);
        }
        let document = opatlas_yaml::parse(&text);
        if let Some(first) = document.diagnostics.into_iter().next() {
            return Err(first);
        }
        let tree = document.tree.unwrap_or_default();
        let Root::Mapping(root) = document.root else {
            return Err(fault(
                Default::default(),
                message!("{} must be a mapping", VENDOR),
            ));
        };
        let mut profile = Self::default();
        let Kind::Mapping(pairs) = tree.kind(root) else {
            return Ok(profile);
        };
        for &(key, value) in pairs {
            profile.field(&tree, key, value)?;
        }
        if profile.key.is_empty() {
            Err(fault(
                tree.span(root),
                "a vendor profile needs `key`".into(),
            ))
        } else {
            Ok(profile)
        }
    }

    fn field(&mut self, tree: &Tree, key: NodeId, value: NodeId) -> Result<(), Diagnostic> {
        let name = tree.str_value(key).unwrap_or("");
        let text = || {
            let text = tree.str_value(value);
            text.map(Box::from)
                .ok_or_else(|| fault(tree.span(value), message!("`{}` must be a string", name)))
        };
        let list = || {
            let wrong = || {
                fault(
                    tree.span(value),
                    message!("`{}` must be a list of strings", name),
                )
            };
            let Kind::Sequence(items) = tree.kind(value) else {
                return Err(wrong());
            };
            if items.len() > MOST_NAMES {
                let message = message!("`{}` can have at most {} items", name, MOST_NAMES);
                return Err(fault(tree.span(value), message));
            }
            let items = items.iter().map(|&item| tree.str_value(item));
            items
                .map(|item| item.map(Box::from).ok_or_else(wrong))
                .collect()
        };
        match name {
            "name" => self.name = text()?,
            "key" => self.key = text()?,
            "namespace" => self.namespace = text()?,
            "cpp_namespace" => self.cpp_namespace = text()?,
            "spellings" => self.spellings = list()?,
            "keys" => self.keys = list()?,
            "fields" => self.fields = list()?,
            "versions" => self.versions = list()?,
            _ => {
                let known: Vec<_> = TEXTS.into_iter().chain(LISTS).collect();
                let message = message!("unknown field `{}` in a vendor profile", name);
                let help = message!("the fields are {}", known.join(", "));
                return Err(fault(tree.span(key), message).with_help(help));
            }
        }
        Ok(())
    }

    /// The dispatch key for a name, which may contain a spelling, such as `AutogradNPU`.
    #[must_use]
    pub fn dispatch_key(&self, name: &str) -> Box<str> {
        for spelling in &self.spellings {
            if let Some(prefix) = name.strip_suffix(&**spelling) {
                return format!("{prefix}{}", self.key).into();
            }
        }
        name.into()
    }

    /// Whether a name in its files is its own key.
    #[must_use]
    pub fn is_own_key(&self, name: &str) -> bool {
        name == &*self.key || self.spellings.iter().any(|spelling| **spelling == *name)
    }

    /// The profile for a file with these keys: `given` if it is the same vendor's, or a built-in
    /// one.
    #[must_use]
    pub fn of_mapping(given: Option<&Self>, backend: Option<&str>, keys: &[&str]) -> Option<Self> {
        let has = |key: &str| keys.contains(&key);
        if let Some(given) = given
            && backend.is_none_or(|backend| given.is_own_key(backend))
        {
            return Some(given.clone());
        }
        let ascend = Self::ascend();
        let is_ascend = match backend {
            Some(backend) => ascend.spellings.iter().any(|s| **s == *backend),
            None => has("official") || has("custom") || has("backward") && has("all_version"),
        };
        is_ascend.then_some(ascend)
    }

    /// The profile for an overlay with these keys in `dispatch`.
    #[must_use]
    pub fn of_list<'k>(
        given: Option<&Self>,
        mut keys: impl Iterator<Item = &'k str>,
    ) -> Option<Self> {
        if let Some(given) = given {
            return Some(given.clone());
        }
        let xpu = Self::xpu();
        keys.any(|key| key == &*xpu.key).then_some(xpu)
    }
}

fn fault(at: opatlas_source::Span, message: opatlas_source::Message) -> Diagnostic {
    Diagnostic::new(RuleId::VendorProfile, at, message)
        .with_help("`opatlas explain vendor-profile` shows a valid profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_or_refused_with_a_place() {
        let text = "name: Acme\nkey: PrivateUse1\nspellings: [ACME]\nnamespace: acme\n";
        let profile = Profile::read(text.as_bytes()).unwrap();
        assert_eq!(
            &*profile.dispatch_key("AutogradACME"),
            "AutogradPrivateUse1"
        );
        assert!(profile.is_own_key("ACME") && !profile.is_own_key("CPU"));
        for (text, at) in [
            ("name: Acme\n", "name"),
            ("key: PrivateUse1\ncolour: red\n", "colour"),
            ("key: PrivateUse1\nfields: op_api\n", "op_api"),
        ] {
            let fault = Profile::read(text.as_bytes()).unwrap_err();
            assert!(fault.span.slice(text).starts_with(at), "{text}: {fault:?}");
        }
    }

    #[test]
    fn vendors_are_recognised_by_what_only_they_write() {
        let of = |backend, keys: &[&str]| Profile::of_mapping(None, backend, keys);
        assert_eq!(of(Some("NPU"), &[]), Some(Profile::ascend()));
        assert_eq!(
            of(None, &["all_version", "official"]),
            Some(Profile::ascend())
        );
        assert_eq!(of(Some("XLA"), &["supported"]), None);
        assert_eq!(of(Some("ACME"), &["custom"]), None);
        assert_eq!(of(None, &["supported"]), None);
    }
}

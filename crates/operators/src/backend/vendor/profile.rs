//! Profiles for vendors' files (`docs/spec/vendors.md`, section 1).

/// How to interpret a vendor's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The vendor's name.
    pub name: Box<str>,
    /// The dispatch key of its kernels.
    pub key: Box<str>,
    /// Spellings of that key in its files, such as `NPU` for `PrivateUse1`.
    pub spellings: Vec<Box<str>>,
    /// The namespace of its own operators.
    pub namespace: Box<str>,
    /// The C++ namespace of its kernels, as a default.
    pub cpp_namespace: Box<str>,
    /// Keys that backend files do not have.
    pub keys: Vec<Box<str>>,
    /// The lists of operators, each with the namespace of its operators. `.` is the document.
    pub lists: Vec<(Box<str>, Box<str>)>,
    /// Fields that name the operator of an entry; the first that an entry has counts.
    pub operator: Vec<Box<str>>,
    /// The field with the schema of an operator that PyTorch may not have; empty if there is none.
    pub schema: Box<str>,
    /// The field with kernels by dispatch key.
    pub dispatch: Box<str>,
    /// The field that names the kernel at the vendor's key; empty if there is none.
    pub kernel: Box<str>,
    /// `true` if the kernel of a structured out variant also serves the listed variants that delegate to it.
    pub delegates: bool,
    /// Fields that add a kernel at the autograd key if they are true.
    pub autograd: Vec<Box<str>>,
    /// Operators that the generator registers at the autograd key instead of the vendor's.
    pub autograd_only: Vec<Box<str>>,
    /// Fields with the value that leaves the entry unregistered.
    pub skip_if: Vec<(Box<str>, bool)>,
    /// Fields that select builds or devices. Such entries count, and may repeat an operator.
    pub conditions: Vec<Box<str>>,
    /// Fields that select releases.
    pub versions: Vec<Box<str>>,
    /// Other fields of entries; empty means those of `native_functions.yaml`.
    pub fields: Vec<Box<str>>,
}

/// The place in [`Profile::lists`] that stands for the document itself.
pub(super) const DOCUMENT: &str = ".";

/// The fields of `native_functions.yaml` that do not decide which kernels a vendor's file registers.
const COMMON_FIELDS: [&str; 14] = [
    "autogen",
    "category_override",
    "cpp_no_default_args",
    "device_check",
    "device_guard",
    "manual_cpp_binding",
    "precomputed",
    "python_module",
    "structured",
    "structured_delegate",
    "structured_inherits",
    "tags",
    "use_const_ref_for_mutable_tensors",
    "variants",
];

impl Default for Profile {
    /// A profile without a key, for entries with `func`.
    fn default() -> Self {
        Self {
            name: "".into(),
            key: "".into(),
            spellings: Vec::new(),
            namespace: "".into(),
            cpp_namespace: "".into(),
            keys: Vec::new(),
            lists: Vec::new(),
            operator: owned(&["func"]),
            schema: "".into(),
            dispatch: "dispatch".into(),
            kernel: "".into(),
            delegates: false,
            autograd: owned(&["custom_autograd", "autograd"]),
            autograd_only: Vec::new(),
            skip_if: vec![("manual_kernel_registration".into(), true)],
            conditions: Vec::new(),
            versions: Vec::new(),
            fields: Vec::new(),
        }
    }
}

pub(super) fn owned(list: &[&str]) -> Vec<Box<str>> {
    list.iter().map(|&text| text.into()).collect()
}

impl Profile {
    /// A library of operators without a dispatch key.
    #[must_use]
    pub fn library(namespace: &str) -> Self {
        Self {
            name: namespace.into(),
            namespace: namespace.into(),
            ..Self::default()
        }
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

    /// The namespace of the operators in a list, if the profile maps the list.
    #[must_use]
    pub fn list(&self, name: &str) -> Option<&str> {
        let mut lists = self.lists.iter();
        let found = lists.find(|(list, _)| **list == *name);
        found.map(|(_, namespace)| &**namespace)
    }

    /// The fields of an entry that the profile knows besides the one that names the operator.
    pub fn known_fields(&self) -> impl Iterator<Item = &str> {
        let common: &[&str] = if self.fields.is_empty() {
            &COMMON_FIELDS
        } else {
            &[]
        };
        let single = [&self.schema, &self.dispatch, &self.kernel];
        let own = single.into_iter().chain(&self.autograd);
        let own = own.chain(self.skip_if.iter().map(|(field, _)| field));
        let own = own.chain(&self.conditions).chain(&self.versions);
        let own = own.chain(&self.fields).map(|field| &**field);
        own.filter(|field| !field.is_empty())
            .chain(common.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_list_of_fields_stands_for_those_of_pytorch() {
        let mut profile = Profile::default();
        let knows = |profile: &Profile, name| profile.known_fields().any(|field| field == name);
        assert!(knows(&profile, "device_guard") && knows(&profile, "dispatch"));
        assert!(!knows(&profile, "ufunc_inner_loop") && !knows(&profile, ""));
        profile.fields = owned(&["fast"]);
        assert!(knows(&profile, "fast") && knows(&profile, "dispatch"));
        assert!(!knows(&profile, "device_guard"));
    }
}

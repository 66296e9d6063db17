//! Reads files through a profile: sections, mapped lists, and lists of the document
//! (`docs/spec/vendors.md`, section 2).

use std::sync::Arc;

use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::suggest::nearest;
use opatlas_yaml::{Kind, NodeId, ScalarType, Tree};

use super::profile::DOCUMENT;
use super::{Profile, Section, VendorEntry, VendorFile, suggest};
use crate::backend::BackendFile;
use crate::file::MOST_ENTRIES;

/// Known sections; other keys of a profile are ignored.
pub(super) const SECTIONS: [(&str, Section); 8] = [
    ("supported", Section::Supported),
    ("official", Section::Official),
    ("autograd", Section::Autograd),
    ("backward", Section::Derivatives),
    ("custom", Section::Custom),
    ("custom_autograd", Section::CustomAutograd),
    ("schemas", Section::Library),
    ("symint", Section::Symint),
];

/// Keys that say how kernels are declared, and not which there are.
const COMMON: [&str; 7] = [
    "backend",
    "namespace",
    "cpp_namespace",
    "class_name",
    "use_out_as_primary",
    "device_guard",
    "extra_headers",
];

/// Where an entry is.
#[derive(Clone, Copy)]
pub(super) struct List<'t> {
    /// The section.
    pub(super) section: Section,
    /// Its name in the file.
    pub(super) name: &'t str,
    /// The namespace of its operators, if the profile maps the list.
    pub(super) namespace: Option<&'t str>,
}

pub(super) struct Reader<'t> {
    pub(super) tree: &'t Tree,
    pub(super) profile: &'t Profile,
    pub(super) entries: Vec<VendorEntry>,
    pub(super) diagnostics: &'t mut Complaints,
}

/// Reads the sections and lists of a mapping.
pub(in crate::backend) fn sections(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    profile: Profile,
    file: &mut BackendFile,
) {
    read(tree, profile, file, |reader, profile| {
        for &(key, value) in pairs {
            let name = tree.str_value(key).unwrap_or("");
            let is_header = COMMON.contains(&name) || profile.keys.iter().any(|k| **k == *name);
            if let Some(list) = mapped(profile, name) {
                reader.list(list, key, value);
            } else if let Some(&(name, section)) = SECTIONS.iter().find(|(s, _)| *s == name) {
                let list = List {
                    section,
                    name,
                    namespace: None,
                };
                reader.list(list, key, value);
            } else if is_header {
            } else if let Some(list) = mapped(profile, DOCUMENT) {
                reader.by_operator(list, key, value);
            } else {
                reader.unknown(name, key, value);
            }
        }
    });
}

/// Reads a document that is a list.
pub(in crate::backend) fn document(
    tree: &Tree,
    items: &[NodeId],
    profile: Profile,
    file: &mut BackendFile,
) {
    read(tree, profile, file, |reader, profile| {
        if let Some(list) = mapped(profile, DOCUMENT) {
            reader.items(list, items);
        }
    });
}

fn read(
    tree: &Tree,
    profile: Profile,
    file: &mut BackendFile,
    read: impl Fn(&mut Reader<'_>, &Profile),
) {
    let mut reader = Reader {
        tree,
        profile: &profile,
        entries: Vec::new(),
        diagnostics: &mut file.diagnostics,
    };
    read(&mut reader, &profile);
    let entries = reader.entries;
    file.vendor = Some(Arc::new(VendorFile {
        profile: Arc::new(profile),
        entries,
        is_overlay: false,
    }));
}

/// A list of the profile. Lists of other namespaces declare operators.
fn mapped<'t>(profile: &'t Profile, name: &str) -> Option<List<'t>> {
    let (name, namespace) = profile.lists.iter().find(|(list, _)| **list == *name)?;
    let section = match &**namespace {
        "aten" => Section::Supported,
        _ => Section::Custom,
    };
    Some(List {
        section,
        name,
        namespace: Some(namespace),
    })
}

impl Reader<'_> {
    fn unknown(&mut self, name: &str, key: NodeId, value: NodeId) {
        if self.diagnostics.is_full(RuleId::BackendKnownKeys) {
            self.diagnostics.count(RuleId::BackendKnownKeys, 1);
            return;
        }
        let at = self.tree.span(key);
        let vendor = match &*self.profile.name {
            "" => "a vendor",
            name => name,
        };
        let message = message!("unknown key `{}` in a file of {}", name, vendor);
        let keys = self.profile.keys.iter().map(|key| &**key);
        let sections = SECTIONS.iter().map(|(key, _)| *key);
        let fault = Diagnostic::new(RuleId::BackendKnownKeys, at, message);
        let near = nearest(name, keys.chain(sections).chain(COMMON));
        self.diagnostics.push(match near {
            Some(near) => fault.with_help(message!("did you mean `{}`?", near)),
            None if suggest::is_list(self.tree, value) => fault.with_help(
                "if it lists operators, add it to `lists` of the vendor profile with their \
                 namespace",
            ),
            None => fault.with_help("add it to `keys` of the vendor profile if it is meant"),
        });
    }

    fn list(&mut self, list: List<'_>, key: NodeId, value: NodeId) {
        match self.tree.kind(value) {
            Kind::Sequence(items) => self.items(list, items),
            Kind::Mapping(pairs) if list.namespace.is_some() => {
                for &(key, value) in pairs {
                    self.by_operator(list, key, value);
                }
            }
            Kind::Scalar(scalar) if scalar.value.is_empty() => {}
            _ => {
                let message = message!("`{}` must be a list", list.name);
                let at = self.tree.span(key);
                let fault = Diagnostic::new(RuleId::BackendSupportedList, at, message);
                self.diagnostics
                    .push(fault.with_help("write one `- func: ...` per operator"));
            }
        }
    }

    fn items(&mut self, list: List<'_>, items: &[NodeId]) {
        for &item in items {
            if self.is_full(item) {
                return;
            }
            self.entry(list, None, item);
        }
    }

    /// An entry whose key names the operator.
    fn by_operator(&mut self, list: List<'_>, key: NodeId, value: NodeId) {
        let is_null = matches!(self.tree.kind(value), Kind::Scalar(s) if s.ty == ScalarType::Null);
        if is_null || matches!(self.tree.kind(value), Kind::Mapping(_)) {
            if !self.is_full(key) {
                self.entry(list, Some(key), value);
            }
            return;
        }
        let name = self.tree.str_value(key).unwrap_or("");
        self.unknown(name, key, value);
    }

    fn is_full(&mut self, item: NodeId) -> bool {
        if self.entries.len() < MOST_ENTRIES {
            return false;
        }
        let message = message!("the file has more than {} entries", MOST_ENTRIES);
        let fault = Diagnostic::new(RuleId::YamlLimit, self.tree.span(item), message);
        self.diagnostics
            .push(fault.with_help("Opatlas ignores the rest of the section"));
        true
    }
}

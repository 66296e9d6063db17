//! Reads files with sections of whole schemas (`docs/spec/vendors.md`, section 2).

use std::sync::Arc;

use opatlas_schema::function::FunctionSchema;
use opatlas_schema::parse::parse_schema;
use opatlas_schema::signature::signature;
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::suggest::nearest;
use opatlas_source::{Span, message};
use opatlas_yaml::{Kind, NodeId, Tree};

use super::{Profile, Section, VendorEntry, VendorFile, VendorKernel, Versions, WholeSchema};
use crate::backend::BackendFile;
use crate::entry::Placed;
use crate::file::MOST_ENTRIES;

/// Known sections; other keys of a profile are ignored.
const SECTIONS: [(&str, Section); 8] = [
    ("supported", Section::Supported),
    ("official", Section::Official),
    ("autograd", Section::Autograd),
    ("backward", Section::Derivatives),
    ("custom", Section::Custom),
    ("custom_autograd", Section::CustomAutograd),
    ("schemas", Section::Library),
    ("symint", Section::Symint),
];

const MARKS: [&str; 6] = [
    "official",
    "custom",
    "custom_autograd",
    "tocpu",
    "unsupported",
    "all_version",
];

const COMMON: [&str; 6] = [
    "backend",
    "namespace",
    "cpp_namespace",
    "class_name",
    "use_out_as_primary",
    "device_guard",
];

pub(in crate::backend) enum Superset {
    No,
    Known(Box<Profile>),
    /// The position of the first unknown part.
    Unknown(Span),
}

pub(in crate::backend) fn superset(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    given: Option<&Profile>,
) -> Superset {
    let keys: Vec<&str> = pairs
        .iter()
        .filter_map(|(k, _)| tree.str_value(*k))
        .collect();
    let value = |key: &str| pairs.iter().find(|(k, _)| tree.str_value(*k) == Some(key));
    let backend = value("backend").and_then(|(_, node)| tree.str_value(*node));
    if let (None, true) = (backend, keys.contains(&"schemas")) {
        let namespace = value("namespace").and_then(|(_, node)| tree.str_value(*node));
        return Superset::Known(Box::new(Profile::library(namespace.unwrap_or_default())));
    }
    if let Some(profile) = Profile::of_mapping(given, backend, &keys) {
        let is_plain = backend == Some(&profile.key) && mark(tree, pairs).is_none();
        return if is_plain {
            Superset::No
        } else {
            Superset::Known(Box::new(profile))
        };
    }
    mark(tree, pairs).map_or(Superset::No, Superset::Unknown)
}

/// The first unknown section or mapping entry, which needs a vendor profile.
fn mark(tree: &Tree, pairs: &[(NodeId, NodeId)]) -> Option<Span> {
    let is_mark = |key: &NodeId| tree.str_value(*key).is_some_and(|key| MARKS.contains(&key));
    if let Some((key, _)) = pairs.iter().find(|(key, _)| is_mark(key)) {
        return Some(tree.span(*key));
    }
    let listed = pairs.iter().filter(|(key, _)| {
        let key = tree.str_value(*key);
        matches!(key, Some("supported" | "autograd" | "symint"))
    });
    let mut items = listed.flat_map(|(_, list)| match tree.kind(*list) {
        Kind::Sequence(items) => items,
        _ => &[],
    });
    let has_func = |item: &&NodeId| field(tree, **item, "func").is_some();
    items.find(has_func).map(|item| tree.span(*item))
}

fn field(tree: &Tree, entry: NodeId, name: &str) -> Option<NodeId> {
    let Kind::Mapping(pairs) = tree.kind(entry) else {
        return None;
    };
    let found = pairs
        .iter()
        .find(|(key, _)| tree.str_value(*key) == Some(name));
    found.map(|(_, value)| *value)
}

pub(in crate::backend) fn sections(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    profile: Profile,
    file: &mut BackendFile,
) {
    let mut reader = Reader {
        tree,
        profile: &profile,
        entries: Vec::new(),
        diagnostics: &mut file.diagnostics,
    };
    for &(key, value) in pairs {
        let name = tree.str_value(key).unwrap_or("");
        match SECTIONS.iter().find(|(section, _)| *section == name) {
            Some(&(_, section)) => reader.section(section, key, value),
            None => reader.known(name, key),
        }
    }
    let entries = reader.entries;
    file.vendor = Some(Arc::new(VendorFile {
        profile: Arc::new(profile),
        entries,
        is_overlay: false,
    }));
}

/// Namespace, name and schema.
type Whole = (Option<Box<str>>, Box<str>, Option<WholeSchema>);

struct Reader<'t> {
    tree: &'t Tree,
    profile: &'t Profile,
    entries: Vec<VendorEntry>,
    diagnostics: &'t mut Complaints,
}

impl Reader<'_> {
    fn known(&mut self, name: &str, key: NodeId) {
        let tolerated = self.profile.keys.iter().any(|known| **known == *name);
        if tolerated || COMMON.contains(&name) {
            return;
        }
        if self.diagnostics.is_full(RuleId::BackendKnownKeys) {
            self.diagnostics.count(RuleId::BackendKnownKeys, 1);
            return;
        }
        let at = self.tree.span(key);
        let message = message!("unknown key `{}` in a file of {}", name, self.profile.name);
        let keys = self.profile.keys.iter().map(|key| &**key);
        let sections = SECTIONS.iter().map(|(key, _)| *key);
        let fault = Diagnostic::new(RuleId::BackendKnownKeys, at, message);
        self.diagnostics
            .push(match nearest(name, keys.chain(sections).chain(COMMON)) {
                Some(near) => fault.with_help(message!("did you mean `{}`?", near)),
                None => fault.with_help("add it to `keys` of the vendor profile if it is meant"),
            });
    }

    fn section(&mut self, section: Section, key: NodeId, list: NodeId) {
        let Kind::Sequence(items) = self.tree.kind(list) else {
            let is_null = matches!(self.tree.kind(list), Kind::Scalar(s) if s.value.is_empty());
            if !is_null {
                let message = message!("`{}` must be a list", section.as_str());
                let at = self.tree.span(key);
                let fault = Diagnostic::new(RuleId::BackendSupportedList, at, message);
                self.diagnostics
                    .push(fault.with_help("write one `- func: ...` per operator"));
            }
            return;
        };
        for &item in items {
            if self.entries.len() == MOST_ENTRIES {
                let message = message!("the file has more than {} entries", MOST_ENTRIES);
                let fault = Diagnostic::new(RuleId::YamlLimit, self.tree.span(item), message);
                self.diagnostics
                    .push(fault.with_help("Opatlas ignores the rest of the section"));
                return;
            }
            self.entry(section, item);
        }
    }

    fn entry(&mut self, section: Section, item: NodeId) {
        let named = if section == Section::Derivatives {
            "name"
        } else {
            "func"
        };
        let func = match self.tree.kind(item) {
            Kind::Mapping(_) => field(self.tree, item, named),
            _ => Some(item),
        };
        let Some((func, text)) = func.and_then(|func| Some((func, self.tree.str_value(func)?)))
        else {
            let message = message!("an entry of `{}` has no `{}`", section.as_str(), named);
            let fault = Diagnostic::new(RuleId::VendorSchema, self.tree.span(item), message);
            self.diagnostics
                .push(fault.with_help("name the operator, or give its schema"));
            return;
        };
        if section != Section::Derivatives {
            self.fields(item);
        }
        let Some(mut entry) = self.named(section, func, text) else {
            return;
        };
        entry.versions = self.versions(item);
        entry.kernels = self.kernels(item);
        self.entries.push(entry);
    }

    fn named(&mut self, section: Section, func: NodeId, text: &str) -> Option<VendorEntry> {
        let at = self.tree.span(func);
        let (namespace, name, schema) = if text.contains('(') {
            self.whole(section, func, text)
        } else {
            let (namespace, name) = match text.rsplit_once("::") {
                Some((namespace, name)) => (Some(namespace.into()), name),
                None => (None, text),
            };
            (namespace, name.trim().into(), None)
        };
        if section.is_own() && schema.is_none() && !text.contains('(') {
            let message = message!("`{}` of `{}` has no schema", text, section.as_str());
            let fault = Diagnostic::new(RuleId::VendorSchema, at, message);
            self.diagnostics
                .push(fault.with_help("give its whole schema: no other file has it"));
        }
        Some(VendorEntry {
            section,
            namespace,
            name: Placed { value: name, at },
            schema: schema.map(Arc::new),
            versions: Versions::default(),
            kernels: Vec::new(),
        })
    }

    /// A vendor's operators may use types that only the runtime parses, such as dictionaries.
    fn whole(&mut self, section: Section, func: NodeId, text: &str) -> Whole {
        let at = self.tree.span(func);
        let parsed = parse_schema(text, 0);
        let is_read = parsed.schema.as_ref().is_some_and(is_plain);
        if section.is_own()
            && !is_read
            && let Ok(read) = opatlas_runtime::parse(text)
        {
            let namespace = read.has_namespace.then(|| read.namespace.into());
            let schema = runtime_schema(read, at);
            return (namespace, schema.schema.name.as_str().into(), Some(schema));
        }
        let Some(first) = parsed.diagnostics.first() else {
            let schema = parsed.schema.map(|schema| whole_schema(schema, at));
            let name = parsed.name.map(|name| name.as_str().into());
            return (parsed.namespace, name.unwrap_or_default(), schema);
        };
        let span = first.span;
        let span = self
            .tree
            .place(func, span.start as usize..span.end as usize);
        // A missing part at the end has no text, so point at the whole schema.
        let span = if span.is_empty() { at } else { span };
        let message = message!("unreadable schema: {}", first.message);
        let mut fault = Diagnostic::new(RuleId::VendorSchema, span, message);
        fault.help.clone_from(&first.help);
        self.diagnostics.push(fault);
        let name = match &parsed.name {
            Some(name) => name.as_str().into(),
            None => text.split('(').next().unwrap_or("").trim().into(),
        };
        (parsed.namespace, name, None)
    }

    fn fields(&mut self, item: NodeId) {
        let Kind::Mapping(pairs) = self.tree.kind(item) else {
            return;
        };
        if self.profile.fields.is_empty() {
            return;
        }
        for (key, _) in pairs {
            let name = self.tree.str_value(*key).unwrap_or("");
            if name == "func" || self.profile.fields.iter().any(|field| **field == *name) {
                continue;
            }
            if self.diagnostics.is_full(RuleId::VendorField) {
                self.diagnostics.count(RuleId::VendorField, 1);
                continue;
            }
            let at = self.tree.span(*key);
            let message = message!("the vendor profile has no field `{}`", name);
            let fault = Diagnostic::new(RuleId::VendorField, at, message);
            let near = nearest(name, self.profile.fields.iter().map(|field| &**field));
            self.diagnostics.push(match near {
                Some(near) => fault.with_help(message!("did you mean `{}`?", near)),
                None => fault.with_help("add it to `fields` of the profile if it is meant"),
            });
        }
    }

    fn versions(&self, item: NodeId) -> Versions {
        let fields = self.profile.versions.iter();
        let fields = fields.filter_map(|name| field(self.tree, item, name));
        Versions::of_fields(self.tree, &fields.collect::<Vec<_>>())
    }

    fn kernels(&self, item: NodeId) -> Vec<VendorKernel> {
        let dispatch = field(self.tree, item, "dispatch");
        let Some(Kind::Mapping(pairs)) = dispatch.map(|node| self.tree.kind(node)) else {
            return Vec::new();
        };
        let mut kernels = Vec::new();
        for &(keys, kernel) in pairs {
            let (Some(keys), Some(value)) =
                (self.tree.str_value(keys), self.tree.str_value(kernel))
            else {
                continue;
            };
            let at = self.tree.span(kernel);
            kernels.extend(keys.split(',').map(|key| VendorKernel {
                key: self.profile.dispatch_key(key.trim()),
                kernel: Placed {
                    value: value.into(),
                    at,
                },
            }));
        }
        kernels
    }
}

pub(super) fn whole_schema(schema: FunctionSchema, at: Span) -> WholeSchema {
    WholeSchema {
        canonical: schema.to_string().into(),
        signature: signature(&schema).into(),
        schema,
        at,
    }
}

/// Whether all names and defaults are single words. torchgen takes double blanks for parts of
/// names, and an argument after a comma without a blank for part of the default.
fn is_plain(schema: &FunctionSchema) -> bool {
    let is_word = |name: &str| !name.contains(char::is_whitespace);
    let is_value = |default: &str| {
        default.starts_with(['[', '(', '"', '\'']) || !default.contains([',', ' ', '\t', '\n'])
    };
    let mut arguments = schema.arguments.all().iter();
    is_word(schema.name.as_str())
        && arguments.all(|argument| {
            is_word(&argument.name) && argument.default.as_deref().is_none_or(is_value)
        })
}

/// A schema that only the runtime reads. Its canonical text is PyTorch's, without the namespace.
fn runtime_schema(read: opatlas_runtime::RuntimeSchema<'_>, at: Span) -> WholeSchema {
    let schema = opatlas_runtime::to_model(&read);
    let bare = opatlas_runtime::RuntimeSchema {
        has_namespace: false,
        ..read
    };
    WholeSchema {
        canonical: bare.printed().into(),
        signature: signature(&schema).into(),
        schema,
        at,
    }
}

//! The profile to write for a file that no profile fits, as a line of TOML.

use opatlas_pytorch::release::Release;
use opatlas_source::Span;
use opatlas_yaml::{Kind, NodeId, Tree};

use super::Profile;
use super::profile::DOCUMENT;
use super::read::SECTIONS;
use super::recognition::{field, value};
use crate::backend::dispatch_key;

/// Fields that vendors name operators with.
const OPERATOR: [&str; 4] = ["func", "schema", "op", "name"];

/// Lists of torchgen's backend files whose items may be mappings.
const PLAIN: [&str; 3] = ["full_codegen", "ir_gen", "non_native"];

const KERNEL: [&str; 2] = ["kernel", "kernels"];

/// Prefixes of backends in dispatch keys.
const FUNCTIONALITIES: [&str; 5] = [
    "Autograd",
    "NestedTensor",
    "Quantized",
    "SparseCsr",
    "Sparse",
];

const MOST_LISTS: usize = 8;

/// Whether a node is a mapping that names an operator.
pub(super) fn is_entry(tree: &Tree, item: NodeId) -> bool {
    operator_field(tree, item).is_some()
}

fn operator_field(tree: &Tree, item: NodeId) -> Option<&'static str> {
    let mut fields = OPERATOR.into_iter();
    fields.find(|name| field(tree, item, name).is_some_and(|node| tree.str_value(node).is_some()))
}

/// The places of a mapping that look like lists of operators, with the position of each.
pub(super) fn lists<'t>(tree: &'t Tree, pairs: &'t [(NodeId, NodeId)]) -> Vec<(&'t str, Span)> {
    let listed = pairs.iter().filter_map(|&(key, list)| {
        let name = tree.str_value(key)?;
        let mut sections = SECTIONS.iter().map(|(section, _)| *section);
        let is_new = !sections.any(|known| known == name) && !PLAIN.contains(&name);
        (is_new && is_plain(name) && is_list(tree, list)).then(|| (name, tree.span(key)))
    });
    let listed: Vec<_> = listed.take(MOST_LISTS).collect();
    let is_scalar = |entry: NodeId| matches!(tree.kind(entry), Kind::Scalar(_));
    let entries = pairs.iter().filter(|(_, entry)| !is_scalar(*entry));
    let entries: Vec<(NodeId, NodeId)> = entries.copied().collect();
    let nests = |(_, entry): &(NodeId, NodeId)| is_list(tree, *entry);
    if is_by_operator(tree, &entries) && !entries.iter().all(nests) {
        let first = entries.first().map(|(key, _)| (DOCUMENT, tree.span(*key)));
        return first.into_iter().collect();
    }
    listed
}

/// Whether a value lists entries, or has them by operator.
pub(super) fn is_list(tree: &Tree, list: NodeId) -> bool {
    match tree.kind(list) {
        Kind::Sequence(items) => items.iter().any(|&item| is_entry(tree, item)),
        Kind::Mapping(pairs) => is_by_operator(tree, pairs),
        _ => false,
    }
}

fn is_by_operator(tree: &Tree, pairs: &[(NodeId, NodeId)]) -> bool {
    let usual = Profile::default();
    let is_name = |name: &str| is_plain(name) && !usual.known_fields().any(|field| field == name);
    let mut pairs = pairs.iter();
    let is_entry = |&(key, entry): &(NodeId, NodeId)| {
        tree.str_value(key).is_some_and(is_name) && matches!(tree.kind(entry), Kind::Mapping(_))
    };
    pairs.len() > 0 && pairs.all(is_entry)
}

/// The profile for a mapping.
pub(in crate::backend) fn of_mapping(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    given: Option<&Profile>,
) -> String {
    let backend = value(tree, pairs, "backend").and_then(|node| tree.str_value(node));
    let lists = lists(tree, pairs);
    let entries = pairs.iter().flat_map(|&(_, list)| match tree.kind(list) {
        Kind::Sequence(items) => items.to_vec(),
        Kind::Mapping(pairs) => pairs
            .iter()
            .map(|(_, entry)| *entry)
            .chain([list])
            .collect(),
        _ => Vec::new(),
    });
    let entries: Vec<NodeId> = entries.collect();
    let mut profile = described(tree, &entries, backend, given);
    for (name, _) in lists {
        let is_own = name.contains("custom");
        if is_own && profile.namespace.is_empty() {
            profile.namespace = "acme".into();
        }
        let namespace = match is_own {
            true => profile.namespace.clone(),
            false => "aten".into(),
        };
        profile.lists.push((name.into(), namespace));
    }
    line(&profile)
}

/// The profile for a list.
pub(in crate::backend) fn of_list(
    tree: &Tree,
    items: &[NodeId],
    given: Option<&Profile>,
) -> String {
    let mut profile = described(tree, items, None, given);
    profile.lists.push((DOCUMENT.into(), "aten".into()));
    line(&profile)
}

fn described(
    tree: &Tree,
    entries: &[NodeId],
    backend: Option<&str>,
    given: Option<&Profile>,
) -> Profile {
    let mut profile = given.cloned().unwrap_or_default();
    if profile.key.is_empty() {
        let mut entries = entries.iter();
        let named = backend.or_else(|| entries.find_map(|&entry| first_key(tree, entry)));
        let named = named.filter(|name| is_plain(name)).unwrap_or("PrivateUse1");
        if dispatch_key(named, Release::LATEST).is_some() {
            profile.key = named.into();
        } else {
            profile.key = "PrivateUse1".into();
            profile.spellings = vec![named.into()];
            profile.namespace = named.to_ascii_lowercase().into();
        }
    }
    let of = |find: &dyn Fn(NodeId) -> Option<&'static str>| entries.iter().find_map(|&e| find(e));
    if let Some(operator) = of(&|entry| operator_field(tree, entry)) {
        profile.operator = vec![operator.into()];
    }
    let kernel = |entry| {
        let mut fields = KERNEL.into_iter();
        fields.find(|name| field(tree, entry, name).is_some())
    };
    if let Some(kernel) = of(&kernel) {
        profile.kernel = kernel.into();
    }
    profile
}

fn first_key(tree: &Tree, entry: NodeId) -> Option<&str> {
    let Kind::Mapping(pairs) = tree.kind(field(tree, entry, "dispatch")?) else {
        return None;
    };
    let keys = tree.str_value(pairs.first()?.0)?;
    let key = keys.split(',').next()?.trim();
    let of_backend = FUNCTIONALITIES
        .iter()
        .find_map(|name| key.strip_prefix(name));
    Some(of_backend.unwrap_or(key))
}

/// Whether a name needs no escape in TOML.
fn is_plain(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    !name.is_empty() && name.len() <= 128 && name.chars().all(is_word)
}

/// What differs from the default profile.
fn line(profile: &Profile) -> String {
    let usual = Profile::default();
    let fields = texts(profile, &usual)
        .into_iter()
        .chain(lists_of_names(profile, &usual))
        .chain(mappings(profile, &usual));
    let fields: Vec<String> = fields
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    format!("vendor = {{ {} }}", fields.join(", "))
}

type Fields = Vec<(&'static str, String)>;

fn texts(profile: &Profile, usual: &Profile) -> Fields {
    let fields = [
        ("name", &profile.name, &usual.name),
        ("key", &profile.key, &usual.key),
        ("namespace", &profile.namespace, &usual.namespace),
        (
            "cpp_namespace",
            &profile.cpp_namespace,
            &usual.cpp_namespace,
        ),
        ("schema", &profile.schema, &usual.schema),
        ("dispatch", &profile.dispatch, &usual.dispatch),
        ("kernel", &profile.kernel, &usual.kernel),
    ];
    let other = fields
        .into_iter()
        .filter(|(_, text, usual)| text != usual && is_plain(text));
    other
        .map(|(name, text, _)| (name, format!("\"{text}\"")))
        .collect()
}

fn lists_of_names(profile: &Profile, usual: &Profile) -> Fields {
    let fields = [
        ("spellings", &profile.spellings, &usual.spellings),
        ("keys", &profile.keys, &usual.keys),
        ("operator", &profile.operator, &usual.operator),
        ("autograd", &profile.autograd, &usual.autograd),
        (
            "autograd_only",
            &profile.autograd_only,
            &usual.autograd_only,
        ),
        ("conditions", &profile.conditions, &usual.conditions),
        ("versions", &profile.versions, &usual.versions),
        ("fields", &profile.fields, &usual.fields),
    ];
    let other = fields.into_iter().filter(|(_, list, usual)| list != usual);
    let quoted = |list: &[Box<str>]| {
        let items = list.iter().filter(|item| is_plain(item));
        let items: Vec<String> = items.map(|item| format!("\"{item}\"")).collect();
        format!("[{}]", items.join(", "))
    };
    other.map(|(name, list, _)| (name, quoted(list))).collect()
}

fn mappings(profile: &Profile, usual: &Profile) -> Fields {
    let mut fields = Vec::new();
    let mapping = |pairs: Vec<String>| format!("{{ {} }}", pairs.join(", "));
    if profile.delegates {
        fields.push(("delegates", "true".to_owned()));
    }
    if !profile.lists.is_empty() {
        let lists = profile.lists.iter();
        let lists = lists.filter(|(list, namespace)| is_plain(list) && is_plain(namespace));
        let lists = lists.map(|(list, namespace)| format!("\"{list}\" = \"{namespace}\""));
        fields.push(("lists", mapping(lists.collect())));
    }
    if profile.skip_if != usual.skip_if {
        let skipped = profile.skip_if.iter().filter(|(field, _)| is_plain(field));
        let skipped = skipped.map(|(field, value)| format!("\"{field}\" = {value}"));
        fields.push(("skip_if", mapping(skipped.collect())));
    }
    fields
}

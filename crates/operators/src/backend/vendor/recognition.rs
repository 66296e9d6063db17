//! Finds the profile of a file: the given one, or a built-in one whose keys or entries are the file's.

use opatlas_source::Span;
use opatlas_yaml::{Kind, NodeId, Tree};

use super::Profile;
use super::profile::DOCUMENT;
use super::read::SECTIONS;
use super::suggest;

/// Keys that only generators of vendors read.
const MARKS: [&str; 6] = [
    "official",
    "custom",
    "custom_autograd",
    "tocpu",
    "unsupported",
    "all_version",
];

/// How to read a file.
pub(in crate::backend) enum Format {
    /// As torchgen does, or as a list over PyTorch's.
    Standard,
    /// Through a profile.
    Mapped(Box<Profile>),
    /// No profile fits; the position of the first part that needs one.
    Unknown(Span),
}

/// The format of a mapping.
pub(in crate::backend) fn of_mapping(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    given: Option<&Profile>,
) -> Format {
    let keys = pairs.iter().filter_map(|(key, _)| tree.str_value(*key));
    let keys: Vec<&str> = keys.collect();
    let text = |key: &str| tree.str_value(value(tree, pairs, key)?);
    let backend = text("backend");
    if let (None, true) = (backend, keys.contains(&"schemas")) {
        let profile = Profile::library(text("namespace").unwrap_or_default());
        return Format::Mapped(Box::new(profile));
    }
    let mark = mark(tree, pairs);
    if let Some(profile) = given
        && backend.is_none_or(|backend| profile.is_own_key(backend))
    {
        let is_listed =
            keys.iter().any(|key| profile.list(key).is_some()) || profile.list(DOCUMENT).is_some();
        let is_plain = backend == Some(&profile.key) && mark.is_none();
        if !is_listed && is_plain {
            return Format::Standard;
        }
        let is_read = is_listed || keys.iter().any(|key| is_section(key));
        if is_read || suggest::lists(tree, pairs).is_empty() {
            return Format::Mapped(Box::new(profile.clone()));
        }
    }
    if let Some(profile) = built_in(tree, pairs, backend, &keys) {
        return Format::Mapped(Box::new(profile));
    }
    let entries = || {
        let is_other = !keys.iter().any(|key| is_section(key));
        let lists = is_other.then(|| suggest::lists(tree, pairs))?;
        lists.first().map(|(_, at)| *at)
    };
    mark.or_else(entries)
        .map_or(Format::Standard, Format::Unknown)
}

/// The format of a list.
pub(in crate::backend) fn of_list(
    tree: &Tree,
    items: &[NodeId],
    given: Option<&Profile>,
) -> Format {
    if let Some(profile) = given {
        if profile.list(DOCUMENT).is_some() {
            return Format::Mapped(Box::new(profile.clone()));
        }
        if has_names(tree, items, profile) {
            let mut profile = profile.clone();
            profile.lists.push((DOCUMENT.into(), "aten".into()));
            return Format::Mapped(Box::new(profile));
        }
    }
    if let Some(profile) = built_in_list(tree, items) {
        return Format::Mapped(Box::new(profile));
    }
    let has_schema = items.iter().any(|&item| {
        let func = field(tree, item, "func").and_then(|func| tree.str_value(func));
        func.is_some_and(|func| func.contains('('))
    });
    match items.first() {
        Some(&first) if !has_schema && suggest::is_entry(tree, first) => {
            Format::Unknown(tree.span(first))
        }
        _ => Format::Standard,
    }
}

fn built_in_list(tree: &Tree, items: &[NodeId]) -> Option<Profile> {
    let any = |is: &dyn Fn(NodeId) -> bool| items.iter().any(|&item| is(item));
    if any(&|item| is_dipu(tree, item)) {
        return Some(Profile::dipu());
    }
    if any(&|item| is_executorch(tree, item)) {
        return Some(Profile::executorch());
    }
    let musa = Profile::musa();
    let is_musa = has_names(tree, items, &musa) && any(&|item| has_key(tree, item, &musa.key));
    is_musa.then_some(musa)
}

/// `true` if an entry has the name of an operator instead of a schema.
fn has_names(tree: &Tree, items: &[NodeId], profile: &Profile) -> bool {
    items.iter().any(|&item| {
        let mut fields = profile.operator.iter();
        let named = fields.find_map(|name| field(tree, item, name));
        let text = named.and_then(|node| tree.str_value(node));
        text.is_some_and(|text| !text.contains('('))
    })
}

fn is_section(key: &str) -> bool {
    SECTIONS.iter().any(|(section, _)| *section == key)
}

fn built_in(
    tree: &Tree,
    pairs: &[(NodeId, NodeId)],
    backend: Option<&str>,
    keys: &[&str],
) -> Option<Profile> {
    let has = |key: &str| keys.contains(&key);
    let ascend = Profile::ascend();
    if let Some(backend) = backend {
        let is_ascend = ascend.spellings.iter().any(|s| **s == *backend);
        return is_ascend.then_some(ascend);
    }
    let mlu = Profile::mlu();
    if has("aten") && keys.iter().all(|key| mlu.list(key).is_some()) {
        let is_mlu = has("vision") || has("audio") || is_mlu(tree, value(tree, pairs, "aten")?);
        return is_mlu.then_some(mlu);
    }
    if has("official") || has("custom") || has("backward") && has("all_version") {
        return Some(ascend);
    }
    let is_habana = pairs.iter().any(|&(_, entry)| is_habana(tree, entry));
    is_habana.then(Profile::habana)
}

fn is_mlu(tree: &Tree, list: NodeId) -> bool {
    let Kind::Sequence(items) = tree.kind(list) else {
        return false;
    };
    let only_here = ["derived_type", "override_meta", "override_impl"];
    items.iter().any(|&item| {
        let mut fields = only_here.into_iter();
        fields.any(|name| field(tree, item, name).is_some())
    })
}

fn is_habana(tree: &Tree, entry: NodeId) -> bool {
    let has = |name| field(tree, entry, name).is_some();
    has("guid") && (has("out_ids") || has("inplace_ids") || has("custom_fill_params"))
        || has("op_validator") && has("op_backend")
        || has("hpu_wrap_all_versions")
}

fn is_dipu(tree: &Tree, item: NodeId) -> bool {
    let calls = || {
        let interface = field(tree, item, "interface").and_then(|node| tree.str_value(node));
        interface.is_some_and(|interface| interface.starts_with("diopi"))
    };
    field(tree, item, "schema").is_some()
        && (field(tree, item, "dummy_call_diopi").is_some() || calls())
}

fn is_executorch(tree: &Tree, item: NodeId) -> bool {
    let kernels = field(tree, item, "kernels").map(|node| tree.kind(node));
    let Some(Kind::Sequence(kernels)) = kernels else {
        return false;
    };
    let mut kernels = kernels.iter();
    kernels.any(|&kernel| field(tree, kernel, "kernel_name").is_some())
}

/// `true` if the `dispatch` of an entry has a key of this backend.
fn has_key(tree: &Tree, item: NodeId, key: &str) -> bool {
    let dispatch = field(tree, item, "dispatch").map(|node| tree.kind(node));
    let Some(Kind::Mapping(pairs)) = dispatch else {
        return false;
    };
    let mut keys = pairs.iter().filter_map(|(keys, _)| tree.str_value(*keys));
    keys.any(|keys| keys.split(',').any(|name| name.trim().ends_with(key)))
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
    items
        .find(|item| suggest::is_entry(tree, **item))
        .map(|item| tree.span(*item))
}

pub(super) fn value(tree: &Tree, pairs: &[(NodeId, NodeId)], key: &str) -> Option<NodeId> {
    let mut pairs = pairs.iter();
    let found = pairs.find(|(k, _)| tree.str_value(*k) == Some(key));
    found.map(|(_, value)| *value)
}

pub(super) fn field(tree: &Tree, entry: NodeId, name: &str) -> Option<NodeId> {
    let Kind::Mapping(pairs) = tree.kind(entry) else {
        return None;
    };
    value(tree, pairs, name)
}

//! Tags of `tags.yaml` and of operators.

use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_yaml::{Kind, NodeId, Root, ScalarType, Tree};
use rustc_hash::{FxHashMap, FxHasher};

use super::entry::{Entry, TagName};

const RULE: RuleId = RuleId::TagsYaml;

/// A tag of `tags.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTag {
    /// Its name.
    pub name: Box<str>,
    /// Whether the name is a string, as the generated code needs (`tags-must-be-strings`).
    pub is_string: bool,
    /// Its description.
    pub description: Box<str>,
    /// The position of the name in `tags.yaml`.
    pub at: Span,
}

/// The tags that a bundle declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTags {
    tags: Vec<DeclaredTag>,
    is_of_file: bool,
    by_name: FxHashMap<Box<str>, u32>,
}

impl DeclaredTags {
    /// The release's own tags, for a bundle without `tags.yaml`.
    #[must_use]
    pub fn of_release(release: Release) -> Self {
        let tag = |name: &'static str| DeclaredTag {
            name: name.into(),
            is_string: true,
            description: Box::default(),
            at: Span::default(),
        };
        Self::new(release.data().tags.iter().map(tag).collect(), false)
    }

    /// The first tag of a name wins.
    fn new(tags: Vec<DeclaredTag>, is_of_file: bool) -> Self {
        let mut by_name = FxHashMap::default();
        for (i, tag) in (0..).zip(&tags) {
            by_name.entry(tag.name.clone()).or_insert(i);
        }
        Self {
            tags,
            is_of_file,
            by_name,
        }
    }

    /// Reads `tags.yaml` (torchgen `parse_tags_yaml_struct`), skipping invalid items.
    #[must_use]
    pub fn read(text: &str, mut diagnostics: Complaints) -> (Self, Complaints) {
        // Nearly all descriptions are block scalars, so splitting the file would gain nothing.
        let document = opatlas_yaml::parse_shared(&text.into()).bounded();
        let broken = !document.diagnostics.is_empty();
        diagnostics.extend(document.diagnostics);
        if !matches!(document.root, Root::Sequence) && !broken {
            let message = match document.root {
                Root::Empty => "`tags.yaml` is empty, but must be a list of tags",
                _ => "`tags.yaml` must be a list of tags",
            };
            diagnostics.push(
                Diagnostic::new(RULE, Span::at(0), message)
                    .with_help("write `- tag: name` and `  desc: description`"),
            );
        }
        let mut tags = Vec::new();
        for item in &document.items {
            let tree = &item.tree;
            let ignored = |d: &&Diagnostic| {
                opatlas_yaml::is_constructed(d) && is_never_read(tree, item.root, d.span)
            };
            let told = item.diagnostics.iter().filter(|d| !ignored(d));
            diagnostics.extend(told.map(|d| d.clone().shifted(item.base)));
            match read_tag(tree, item.root) {
                Ok(mut tag) => {
                    tag.at = tag.at.shifted(item.base);
                    tags.push(tag);
                }
                Err(diagnostic) => diagnostics.push(diagnostic.shifted(item.base)),
            }
        }
        (Self::new(tags, true), diagnostics)
    }

    /// Finds a tag.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&DeclaredTag> {
        let at = *self.by_name.get(name)?;
        self.tags.get(at as usize)
    }

    /// Whether `tags.yaml` declares them, not the release.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        self.is_of_file
    }

    /// All tags, in file order.
    #[must_use]
    pub fn all(&self) -> &[DeclaredTag] {
        &self.tags
    }

    /// Whether entries may have this tag.
    #[must_use]
    pub fn allows(&self, tag: &TagName) -> bool {
        match tag {
            TagName::Text(name) => self.find(name).is_some_and(|tag| tag.is_string),
            TagName::Scalar(name) => self.find(name).is_some_and(|tag| !tag.is_string),
            TagName::Collection => false,
        }
    }
}

/// Only the name of a `tag` is read.
fn is_never_read(tree: &Tree, item: NodeId, at: Span) -> bool {
    let Kind::Mapping(pairs) = tree.kind(item) else {
        return false;
    };
    pairs.iter().any(|&(key, value)| {
        let span = tree.span(key).to(tree.span(value));
        tree.str_value(key) != Some("tag") && span.start <= at.start && at.end <= span.end
    })
}

fn read_tag(tree: &Tree, node: NodeId) -> Result<DeclaredTag, Diagnostic> {
    let fault = |at: NodeId, message: &'static str| {
        Diagnostic::new(RULE, tree.span(at), message)
            .with_help("write `- tag: name` and `  desc: description`")
    };
    let Kind::Mapping(pairs) = tree.kind(node) else {
        return Err(fault(node, "this item is not a mapping"));
    };
    let value = |key: &str| {
        let pair = pairs.iter().find(|(k, _)| tree.str_value(*k) == Some(key));
        pair.map(|(_, value)| *value)
    };
    let name = value("tag").ok_or_else(|| fault(node, "this item has no `tag`"))?;
    let Kind::Scalar(scalar) = tree.kind(name) else {
        return Err(fault(name, "the name of a tag must be a string"));
    };
    let description = value("desc").map(|desc| match tree.kind(desc) {
        Kind::Scalar(text) if text.ty == ScalarType::Str => (desc, text.value),
        // Anything but an empty string counts as a description, even null.
        _ => (desc, "-"),
    });
    match description {
        Some((_, text)) if !text.is_empty() => Ok(DeclaredTag {
            name: scalar.value.into(),
            is_string: scalar.ty == ScalarType::Str,
            description: text.into(),
            at: tree.span(name),
        }),
        Some((at, _)) => Err(fault(at, "the tag has an empty description")),
        None => Err(fault(name, "the tag has no description (`desc`)")),
    }
}

/// The tags of an operator, sorted and distinct, shared between operators.
pub type Tags = Arc<[Box<str>]>;

/// Shares equal sets of tags.
#[derive(Debug, Default)]
pub struct TagInterner {
    sets: FxHashMap<u64, Vec<Tags>>,
}

impl TagInterner {
    /// The shared set with these names.
    pub fn intern(&mut self, mut names: Vec<&str>) -> Tags {
        names.sort_unstable();
        names.dedup();
        let mut hasher = FxHasher::default();
        names.hash(&mut hasher);
        let known = self.sets.entry(hasher.finish()).or_default();
        let same = |tags: &&Tags| tags.iter().map(|tag| &**tag).eq(names.iter().copied());
        if let Some(tags) = known.iter().find(same) {
            return Arc::clone(tags);
        }
        let tags: Tags = names.into_iter().map(Box::from).collect();
        known.push(Arc::clone(&tags));
        tags
    }
}

/// The tags that a release adds to a declared operator, if `tags.yaml` has them
/// (`docs/spec/releases.md`, section 2.4).
pub fn added_automatically<'a>(
    release: Release,
    namespace: &'a str,
    schema: &'a FunctionSchema,
    declared: &'a DeclaredTags,
) -> impl Iterator<Item = &'static str> + 'a {
    let added = release.data().tags_added_automatically.iter();
    added.filter(move |&tag| {
        let applies = match tag {
            "pt2_compliant_tag" => namespace == "aten",
            "out" => !schema.arguments.out().is_empty(),
            "inplace" => schema.name.is_inplace(),
            _ => false,
        };
        applies && declared.find(tag).is_some()
    })
}

/// The tag names in an entry.
pub fn written(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.tags.iter().filter_map(|tag| match &tag.value {
        TagName::Text(name) | TagName::Scalar(name) => Some(&**name),
        TagName::Collection => None,
    })
}

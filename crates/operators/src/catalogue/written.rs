//! Operators of the entries that declare them.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use opatlas_source::{Stop, Stopped};

use crate::former::Former;
use crate::operator::{Declaration, Operator, PlacedEntry};
use crate::tags::{self, DeclaredTags, TagInterner};

/// The operators of entries that have a schema, in their order, the index of the entry of each, and their tags.
pub(super) fn operators(
    entries: &[PlacedEntry],
    (declared, former): (&DeclaredTags, &Former<'_>),
    release: Release,
    stop: &Stop,
) -> Result<(Vec<Operator>, Vec<u32>, TagInterner), Stopped> {
    let mut interner = TagInterner::default();
    let mut cursor = former.cursor();
    let (mut operators, mut entry_of) = (Vec::new(), Vec::new());
    for (at, placed) in (0..).zip(entries) {
        stop.check()?;
        let Some(schema) = &placed.entry.schema else {
            continue;
        };
        let known = cursor.written(placed);
        let new = || written(placed, schema, release, declared, &mut interner);
        operators.push(known.unwrap_or_else(new));
        entry_of.push(at);
    }
    Ok((operators, entry_of, interner))
}

fn written(
    placed: &PlacedEntry,
    schema: &FunctionSchema,
    release: Release,
    declared: &DeclaredTags,
    interner: &mut TagInterner,
) -> Operator {
    let entry = &placed.entry;
    let added = tags::added_automatically(release, &entry.namespace, schema, declared);
    let mut names: Vec<&str> = tags::written(entry).collect();
    names.extend(added.map(|tag| -> &str { tag }));
    let tags = interner.intern(names);
    let is_view = is_view(schema, &tags, release);
    Operator::new(Declaration::Entry(placed.clone()), tags, is_view)
}

/// Whether an operator is a view (torchgen `NativeFunction.is_view_op`): a return aliases without
/// being written, or it is tagged so, or an argument may alias anything afterwards.
fn is_view(schema: &FunctionSchema, tags: &tags::Tags, release: Release) -> bool {
    let returns_view = schema
        .returns
        .iter()
        .any(|r| r.annotation.as_ref().is_some_and(|a| !a.write));
    let lists = &release.data().name_lists;
    let tagged = tags.iter().any(|tag| &**tag == "inplace_view")
        && !lists
            .inplace_view_not_view_full_names
            .contains(schema.name.as_str());
    let wildcard = schema
        .arguments
        .all()
        .iter()
        .any(|a| a.annotation.as_ref().is_some_and(|a| a.is_wildcard()));
    returns_view || tagged || wildcard
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use crate::catalogue::Catalogue;

    /// Tags of entries that are read apart, of a revision and of the one after it.
    #[test]
    fn operators_with_the_same_tags_share_them() {
        let text = |from: usize| -> String {
            let tags = ["core", "pointwise", "core, pointwise"];
            let entry = |at: usize| {
                let tags = tags[at * 7 % tags.len()];
                format!("- func: f{at}(Tensor self) -> Tensor\n  tags: [{tags}]\n")
            };
            (from..from + 50).map(entry).collect()
        };
        let read = |text: String, previous: Option<&Catalogue>| {
            let bundle = Bundle::of_native_functions(text.into_bytes());
            Catalogue::read(&bundle, Release::LATEST, previous)
        };
        let first = read(text(0), None);
        let second = read(text(20), Some(&first));
        for (catalogue, from) in [(&first, 0), (&second, 20)] {
            let mut shared = BTreeMap::new();
            for (at, operator) in (from..).zip(&catalogue.operators) {
                assert_eq!(operator.name_text(), format!("f{at}"));
                shared
                    .entry(operator.tags.to_vec())
                    .or_insert_with(Vec::new)
                    .push(&operator.tags);
            }
            assert_eq!(shared.len(), 3);
            for alike in shared.values() {
                let places = alike
                    .windows(2)
                    .filter(|pair| !Arc::ptr_eq(pair[0], pair[1]));
                // New ones do not look for those of the former revision.
                assert!(places.count() <= usize::from(from > 0));
            }
        }
        let taken = &second.operators[0];
        assert!(Arc::ptr_eq(&taken.tags, &first.operators[20].tags));
    }
}

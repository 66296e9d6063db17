//! Declared operators.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use opatlas_source::{Stop, Stopped};

use crate::operator::{Declaration, Operator, PlacedEntry};
use crate::tags::{self, DeclaredTags, TagInterner};

pub(super) fn operators(
    entries: &[PlacedEntry],
    declared: &DeclaredTags,
    release: Release,
    stop: &Stop,
) -> Result<(Vec<Operator>, Vec<u32>, TagInterner), Stopped> {
    let mut interner = TagInterner::default();
    let (mut operators, mut entry_of) = (Vec::new(), Vec::new());
    for (at, placed) in (0..).zip(entries) {
        stop.check()?;
        let Some(schema) = &placed.entry.schema else {
            continue;
        };
        operators.push(written(placed, schema, release, declared, &mut interner));
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

/// torchgen `NativeFunction.is_view_op`
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
    use std::sync::Arc;

    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use crate::catalogue::Catalogue;

    #[test]
    fn operators_with_the_same_tags_share_them() {
        let entry = |at: usize, tags: &str| {
            format!("- func: f{at}(Tensor self) -> Tensor\n  tags: [{tags}]\n")
        };
        let text = entry(0, "core, pointwise") + &entry(1, "core") + &entry(2, "pointwise, core");
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let [one, other, same] = &*catalogue.operators else {
            panic!("three operators");
        };
        assert!(Arc::ptr_eq(&one.tags, &same.tags));
        assert!(!Arc::ptr_eq(&one.tags, &other.tags));
    }
}

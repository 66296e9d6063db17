//! Tags that `tags.yaml` gained or lost. torchgen generates the members of `torch.Tag` and `at::Tag`
//! from the file (`torchgen/gen.py`, `gen_headers`).

use std::sync::Arc;

use crate::change::{Change, Fragment, Subject, tag_member};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::tags::DeclaredTag;

/// Adds the tags that only one side declares, if both sides have the file. A file that cannot be read
/// in full may declare any tag.
pub(super) fn compare(base: &Catalogue, head: &Catalogue, changes: &mut Vec<Change>) {
    if !base.tags.is_of_file() || !head.tags.is_of_file() {
        return;
    }
    let removed = only((base, head)).map(|tag| {
        let change = change(ChangeRuleId::TagMemberRemoved, tag);
        change.old(Fragment::of_tag(&*tag.name, tag.at))
    });
    let added = only((head, base)).map(|tag| {
        let change = change(ChangeRuleId::TagMemberAdded, tag);
        change.new_side(Fragment::of_tag(&*tag.name, tag.at))
    });
    changes.extend(removed.chain(added));
}

/// The tags that only the first side declares, each once.
fn only<'c>((own, other): (&'c Catalogue, &'c Catalogue)) -> impl Iterator<Item = &'c DeclaredTag> {
    let is_known = other.tags_diagnostics.is_empty();
    let all = own.tags.all().iter().filter(move |_| is_known);
    all.filter(|tag| {
        let is_first = own
            .tags
            .find(&tag.name)
            .is_some_and(|first| std::ptr::eq(first, *tag));
        tag.is_string && is_first && other.tags.find(&tag.name).is_none()
    })
}

fn change(rule: ChangeRuleId, tag: &DeclaredTag) -> Change {
    let names = Subject::Names(vec![Arc::from(&*tag.name)]);
    Change::new(rule, tag_member(&tag.name), names)
}

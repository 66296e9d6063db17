//! Companion files that one side of a comparison lacks: if only a changed `native_functions.yaml`
//! is compared, the files beside it are taken from the base.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::shim::ShimLists;
use opatlas_source::{
    Bundle, DEPRECATED, DERIVATIVES, FALLBACK_OPS, NATIVE_FUNCTIONS, TAGS, VENDOR,
};

const COMPANIONS: [&str; 4] = [TAGS, DERIVATIVES, DEPRECATED, FALLBACK_OPS];

/// The bundle before a change, from its files at that time. `None` if it declared no operators.
pub fn before<'n>(
    files: impl IntoIterator<Item = (&'n str, Option<Vec<u8>>)>,
    now: &Bundle,
) -> Option<Bundle> {
    let mut bundle = Bundle::default();
    for (name, bytes) in files {
        if let Some(bytes) = bytes {
            bundle.insert(name, bytes);
        }
    }
    bundle.file(NATIVE_FUNCTIONS)?;
    if let Some(vendor) = now.file(VENDOR) {
        bundle.insert(VENDOR, vendor.clone());
    }
    Some(bundle)
}

/// Adds companion files that only the base has to the head. Returns a note about each.
pub fn complete(base: &Bundle, head: &mut Bundle) -> Vec<String> {
    let mut notes = Vec::new();
    for name in COMPANIONS {
        if let (Some(bytes), None) = (base.file(name), head.file(name)) {
            head.insert(name, bytes.clone());
            notes.push(format!(
                "the head was given without {name}, so that of the base applies to both"
            ));
        }
    }
    notes
}

/// A note about each companion file that only one side has, unless the head is known to delete it.
pub fn missing(base: &Bundle, head: &Bundle, is_deleted: impl Fn(&str) -> bool) -> Vec<String> {
    let note = |name: &&str| match (base.file(name), head.file(name)) {
        (Some(_), None) if is_deleted(name) => None,
        (Some(_), None) => Some(format!(
            "the head has no {name}, so nothing is known of what it says there"
        )),
        (None, Some(_)) => Some(format!(
            "the base has no {name}, so all findings about that of the head count as new"
        )),
        _ => None,
    };
    [TAGS, DERIVATIVES].iter().filter_map(note).collect()
}

/// A note about a `fallback_ops.py` that does not parse.
#[must_use]
pub fn unread_lists(catalogue: &Catalogue) -> Option<String> {
    let error = ShimLists::own(catalogue)?.err()?;
    Some(format!(
        "{FALLBACK_OPS} does not parse ({error}), so the lists of PyTorch {} apply",
        catalogue.release
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_of_one_file_has_the_companions_of_its_base() {
        let mut base = Bundle::of_native_functions(*b"[]");
        base.insert(TAGS, b"- tag: core\n".to_vec());
        let mut head = Bundle::of_native_functions(*b"- func: f(Tensor self) -> Tensor\n");
        let noted = |base: &Bundle, head: &Bundle| missing(base, head, |_| false).len();
        assert_eq!((noted(&base, &head), noted(&head, &base)), (1, 1));
        assert_eq!(missing(&base, &head, |name| name == TAGS), [""; 0]);
        let notes = complete(&base, &mut head);
        assert_eq!(notes.len(), 1);
        assert_eq!(head.file(TAGS), base.file(TAGS));
        assert_eq!(noted(&base, &head), 0);
        assert!(complete(&base, &mut head).is_empty());
    }
}

//! Names in lists that a reader can take in.

use std::collections::BTreeMap;

use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;

/// As many names are written out.
const NAMED: usize = 6;

/// Dispatch keys: families of backends are folded, so that `all 14 NestedTensor keys` are not 14
/// names.
pub(super) fn keys<S: AsRef<str>>(names: &[S]) -> String {
    if let [only] = names {
        // As in most changes.
        return only.as_ref().to_owned();
    }
    let known = Keys::of(Release::LATEST);
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let family = known
            .slot(name)
            .filter(|&slot| known.backend(slot).is_some())
            .map_or("", |slot| known.functionality(slot));
        if !families.contains_key(family) {
            order.push(family);
        }
        families.entry(family).or_default().push(name);
    }
    let part = |family: &str| {
        let names = &families[family];
        let is_of_family =
            |&slot: &Slot| known.functionality(slot) == family && known.backend(slot).is_some();
        let kind = match family {
            "" => "other",
            "Dense" => "dense",
            family => family,
        };
        if names.len() <= NAMED {
            names.join(", ")
        } else if names.len() == known.slots().filter(is_of_family).count() {
            format!("all {} {kind} keys", names.len())
        } else {
            let shown = names[..NAMED - 1].join(", ");
            let more = names.len() - (NAMED - 1);
            format!("{shown} and {more} more {kind} keys")
        }
    };
    let parts: Vec<String> = order.into_iter().map(part).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_folded() {
        assert_eq!(keys(&["CPU"]), "CPU");
        assert_eq!(keys(&["CPU", "CUDA"]), "CPU, CUDA");
        let known = Keys::of(Release::LATEST);
        let nested: Vec<&str> = known
            .slots()
            .filter(|&slot| known.functionality(slot) == "NestedTensor")
            .map(|slot| known.name(opatlas_pytorch::keys::Key::Runtime(slot)))
            .collect();
        let folded = keys(&[&["CPU"], &nested[..]].concat());
        assert_eq!(
            folded,
            format!("CPU, all {} NestedTensor keys", nested.len())
        );
        let some = keys(&nested[..8]);
        assert!(some.ends_with("and 3 more NestedTensor keys"), "{some}");
    }
}

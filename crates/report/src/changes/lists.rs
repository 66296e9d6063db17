//! Names in lists that a reader can take in.

use std::sync::LazyLock;

use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;

/// As many names are written out.
const NAMED: usize = 6;

/// The families of backend keys, each with the number of its keys.
static FAMILIES: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    let known = Keys::of(Release::LATEST);
    let mut families = Vec::new();
    for family in known.slots().filter_map(|slot| family(known, slot)) {
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, count)) => *count += 1,
            None => families.push((family, 1)),
        }
    }
    families
});

/// The family of a backend's key.
fn family(known: &Keys, slot: Slot) -> Option<&'static str> {
    known.backend(slot)?;
    Some(known.functionality(slot))
}

/// Dispatch keys: families of backends are folded, so that `all 14 NestedTensor keys` are not 14
/// names.
pub(super) fn keys<S: AsRef<str>>(names: &[S]) -> String {
    if let [only] = names {
        // As in most changes.
        return only.as_ref().to_owned();
    }
    let known = Keys::of(Release::LATEST);
    // In the order of their first names; a handful.
    let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let slot = known.slot(name);
        let family = slot.and_then(|slot| family(known, slot)).unwrap_or("");
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, names)) => names.push(name),
            None => families.push((family, vec![name])),
        }
    }
    let part = |(family, names): &(&str, Vec<&str>)| {
        let kind = match *family {
            "" => "other",
            "Dense" => "dense",
            family => family,
        };
        if names.len() <= NAMED {
            names.join(", ")
        } else if FAMILIES.contains(&(*family, names.len())) {
            format!("all {} {kind} keys", names.len())
        } else {
            let shown = names[..NAMED - 1].join(", ");
            let more = names.len() - (NAMED - 1);
            format!("{shown} and {more} more {kind} keys")
        }
    };
    let parts: Vec<String> = families.iter().map(part).collect();
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

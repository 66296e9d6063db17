//! Readable lists of dispatch keys.

use std::sync::LazyLock;

use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;

/// The most names of a family that are written out.
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

fn family(known: &Keys, slot: Slot) -> Option<&'static str> {
    known.backend(slot)?;
    Some(known.functionality(slot))
}

/// Dispatch keys, with large families of backends folded: `all 14 NestedTensor keys`.
pub(super) fn keys<S: AsRef<str>>(names: &[S]) -> String {
    let known = Keys::of(Release::LATEST);
    // In the order of their first names.
    let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let family = known
            .slot(name)
            .and_then(|slot| family(known, slot))
            .unwrap_or("");
        match families.iter_mut().find(|(other, _)| *other == family) {
            Some((_, own)) => own.push(name),
            None => families.push((family, vec![name])),
        }
    }
    let parts: Vec<String> = families
        .iter()
        .map(|(family, own)| part(family, own))
        .collect();
    parts.join(", ")
}

fn part(family: &str, names: &[&str]) -> String {
    let kind = match family {
        "" => "other",
        "Dense" => "dense",
        family => family,
    };
    let count = names.len();
    if count <= NAMED {
        names.join(", ")
    } else if FAMILIES.contains(&(family, count)) {
        format!("all {count} {kind} keys")
    } else {
        let (shown, more) = names.split_at(NAMED - 1);
        format!("{} and {} more {kind} keys", shown.join(", "), more.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_folded() {
        assert_eq!(keys(&["CPU"]), "CPU");
        assert_eq!(keys(&["CPU", "CUDA"]), "CPU, CUDA");
        let mixed = [
            "CPU",
            "NestedTensorCPU",
            "Unknown",
            "CUDA",
            "NestedTensorCUDA",
        ];
        assert_eq!(
            keys(&mixed),
            "CPU, CUDA, NestedTensorCPU, NestedTensorCUDA, Unknown"
        );
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

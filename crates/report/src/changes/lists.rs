//! Names in lists that a reader can take in.

use std::fmt::Write as _;
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
    let mut text = String::with_capacity(letters(names));
    push_keys(&mut text, names);
    text
}

/// At most how many bytes [`keys`] has of these names; a little more where families are named.
pub(super) fn letters<S: AsRef<str>>(names: &[S]) -> usize {
    let letters = names.iter().map(|name| name.as_ref().len() + ", ".len());
    letters.sum()
}

/// Appends them.
pub(super) fn push_keys<S: AsRef<str>>(text: &mut String, names: &[S]) {
    if let [only] = names {
        // As in most changes.
        return text.push_str(only.as_ref());
    }
    let known = Keys::of(Release::LATEST);
    let families = names.iter().map(|name| {
        let slot = known.slot(name.as_ref());
        slot.and_then(|slot| family(known, slot)).unwrap_or("")
    });
    let families: Vec<&str> = families.collect();
    // In the order of their first names. A release has a handful, so the names are gone through a few times.
    let mut told: Vec<&str> = Vec::new();
    for (at, &family) in families.iter().enumerate() {
        if told.contains(&family) {
            continue;
        }
        told.push(family);
        let own = names[at..].iter().zip(&families[at..]);
        let own = own.filter(|(_, other)| **other == family);
        let count = own.clone().count();
        let kind = match family {
            "" => "other",
            "Dense" => "dense",
            family => family,
        };
        if at > 0 {
            text.push_str(", ");
        }
        if count > NAMED && FAMILIES.contains(&(family, count)) {
            let _ = write!(text, "all {count} {kind} keys");
            continue;
        }
        let shown = if count > NAMED { NAMED - 1 } else { count };
        for (i, (name, _)) in own.take(shown).enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            text.push_str(name.as_ref());
        }
        if count > shown {
            let _ = write!(text, " and {} more {kind} keys", count - shown);
        }
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

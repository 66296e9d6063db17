//! Libraries and kinds of tensors that serve operators on some backends only (`data/libraries.json`;
//! `docs/spec/support.md`, section 10).

/// What serves some operators on some backends only: a library such as cuDNN, or a kind of tensor.
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name.
    pub name: &'static str,
    /// Why other backends do not need its operators, as a sentence.
    pub reason: &'static str,
    operators: &'static [&'static str],
    tags: &'static [&'static str],
    keys: &'static [&'static str],
    on: &'static [&'static str],
    raises: bool,
}

impl Library {
    /// All libraries. An operator belongs to the first one that has it.
    #[must_use]
    pub fn all() -> &'static [Self] {
        LIBRARIES
    }

    /// Whether an operator may be one of the library's, by its base name and tags. A library that
    /// names neither has every operator whose kernels are all on its keys.
    #[must_use]
    pub fn has(&self, base_name: &str, has_tag: impl Fn(&str) -> bool) -> bool {
        (self.operators.is_empty() || any_fits(self.operators, base_name))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| has_tag(tag)))
    }

    /// Whether operators belong to it because of their kernels alone.
    #[must_use]
    pub fn is_of_kernels(&self) -> bool {
        self.operators.is_empty() && self.tags.is_empty()
    }

    /// True if composite kernels of its operators raise on other keys.
    #[must_use]
    pub fn raises_elsewhere(&self) -> bool {
        self.raises
    }

    /// Whether its kernels may be on a runtime key.
    #[must_use]
    pub fn may_serve(&self, key: &str) -> bool {
        self.keys.is_empty() || any_fits(self.keys, key)
    }

    /// Whether it names the backend of a runtime key as one that does without its operators.
    #[must_use]
    pub fn is_uncalled_on(&self, key: &str) -> bool {
        any_fits(self.on, key)
    }

    /// Whether the backend of a runtime key does without the library's operators.
    #[must_use]
    pub fn is_foreign_to(&self, key: &str) -> bool {
        let serves = !self.keys.is_empty() && any_fits(self.keys, key);
        !serves && (self.on.is_empty() || self.is_uncalled_on(key))
    }
}

fn any_fits(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, name))
}

/// Whether a name fits a pattern with at most one `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name
            .strip_prefix(before)
            .is_some_and(|rest| rest.ends_with(after)),
    }
}

include!(concat!(env!("OUT_DIR"), "/libraries.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_one_star() {
        for (pattern, name, is_fitting) in [
            ("cudnn_*", "cudnn_convolution", true),
            ("cudnn_*", "_cudnn_rnn", false),
            ("*_for_cpu", "_weight_int4pack_mm_for_cpu", true),
            (
                "_make_per_*_quantized_tensor",
                "_make_per_channel_quantized_tensor",
                true,
            ),
            ("ab*ba", "aba", false),
            ("to_mkldnn", "to_mkldnn_backward", false),
        ] {
            assert_eq!(fits(pattern, name), is_fitting, "{pattern} {name}");
        }
        let patterns = |library: &Library| [library.operators, library.keys, library.on].concat();
        for pattern in LIBRARIES.iter().flat_map(patterns) {
            assert!(pattern.matches('*').count() <= 1, "{pattern}");
        }
    }

    #[test]
    fn every_library_has_a_reason_and_a_limit() {
        for library in LIBRARIES {
            assert!(library.reason.ends_with('.'), "{}", library.reason);
            assert!(
                !library.keys.is_empty() || !library.on.is_empty(),
                "{library:?}"
            );
            let names_all = !library.keys.is_empty() && !library.is_of_kernels();
            assert!(!library.raises || names_all, "{library:?}");
        }
    }
}

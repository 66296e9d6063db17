//! Texts of the program as keys of maps.

/// A text of the program, by where it lies, which is looked up sooner than its letters. The same letters in two
/// places are two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StaticText {
    address: usize,
    length: usize,
}

impl StaticText {
    /// Of a text.
    pub(super) fn of(text: &'static str) -> Self {
        Self {
            address: text.as_ptr().addr(),
            length: text.len(),
        }
    }
}

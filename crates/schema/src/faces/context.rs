//! What all faces share.

use opatlas_pytorch::release::Release;

/// What a face depends on besides the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The release whose torchgen makes the face.
    pub release: Release,
    /// Whether written tensors are passed as `const Tensor &`
    /// (`use_const_ref_for_mutable_tensors`).
    pub const_ref_for_mutable: bool,
    /// Whether the operator is structured or delegates to a structured one: its lists of tensors
    /// are passed as `ITensorListRef`.
    pub structured_group: bool,
}

/// torchgen makes no such face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

/// Whether something could be written.
pub(super) type WriteResult = Result<(), Refused>;

impl Context {
    /// `optional` as the release spells it (`::std::optional` since 2.4).
    pub(super) fn optional(&self) -> &'static str {
        if self.release >= Release::V2_4 {
            "::std::optional<"
        } else {
            "c10::optional<"
        }
    }

    /// `nullopt` as the release spells it.
    pub(super) fn nullopt(&self) -> &'static str {
        if self.release >= Release::V2_4 {
            "::std::nullopt"
        } else {
            "c10::nullopt"
        }
    }
}

/// Writes the items with `, ` between them.
pub(super) fn list<T>(
    w: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T) -> WriteResult,
) -> WriteResult {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            w.push_str(", ");
        }
        write(w, item)?;
    }
    Ok(())
}

//! Settings shared by all faces.

use opatlas_pytorch::release::Release;

/// Inputs of a face other than the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The release of torchgen.
    pub release: Release,
    /// `use_const_ref_for_mutable_tensors`: passes written tensors as `const Tensor &`.
    pub const_ref_for_mutable: bool,
    /// Whether the operator is structured or delegates: passes tensor lists as `ITensorListRef`.
    pub structured_group: bool,
}

/// torchgen rejects the schema for this face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

pub(super) type WriteResult = Result<(), Refused>;

impl Context {
    /// `::std::optional` since 2.4.
    pub(super) fn optional(&self) -> &'static str {
        if self.release >= Release::V2_4 {
            "::std::optional<"
        } else {
            "c10::optional<"
        }
    }

    pub(super) fn nullopt(&self) -> &'static str {
        if self.release >= Release::V2_4 {
            "::std::nullopt"
        } else {
            "c10::nullopt"
        }
    }
}

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

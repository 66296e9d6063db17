//! Faces of an operator: the C++ and Python declarations that torchgen makes of one schema
//! (`docs/spec/signatures.md`).
//!
//! A face follows from the schema, from the release, and from what [`Context`] holds. Faces that
//! need more than one entry, such as the class of a structured kernel, are put together in
//! `opatlas_operators::faces`.
//!
//! torchgen refuses some schemas that its reader accepts: a type may have no C++ spelling, or an
//! argument may not be usable from Python. Such a face is a [`Refused`], and nothing is shown.

mod cpp;
mod default;
mod kernel;
mod number;
mod python;
mod stub;
mod stub_type;
mod types;

pub use cpp::{Call, CppApi, cpp_signatures};
pub use kernel::{KernelParts, dispatcher, native_kernel, structured_arguments};
pub use python::{Form, PythonSignature};
pub use stub::Stub;
pub use types::Sizes;

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
type Written = Result<(), Refused>;

impl Context {
    /// `optional` as the release spells it (`::std::optional` since 2.4).
    fn optional(&self) -> &'static str {
        match self.release >= Release::V2_4 {
            true => "::std::optional<",
            false => "c10::optional<",
        }
    }

    /// `nullopt` as the release spells it.
    fn nullopt(&self) -> &'static str {
        match self.release >= Release::V2_4 {
            true => "::std::nullopt",
            false => "c10::nullopt",
        }
    }
}

/// Writes the items with `, ` between them.
fn list<T>(
    w: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T) -> Written,
) -> Written {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            w.push_str(", ");
        }
        write(w, item)?;
    }
    Ok(())
}

//! Faces of an operator: the C++ and Python declarations that torchgen makes of one schema
//! (`docs/spec/signatures.md`).
//!
//! A face follows from the schema, from the release, and from what [`Context`] holds. Faces that
//! need more than one entry, such as the class of a structured kernel, are put together in
//! `opatlas_operators::faces`.
//!
//! torchgen refuses some schemas that its reader accepts: a type may have no C++ spelling, or an
//! argument may not be usable from Python. Such a face is a [`Refused`], and nothing is shown.

mod context;
mod cpp;
mod default;
mod kernel;
mod number;
mod python;
mod stub;
mod stub_type;
mod types;

pub use context::{Context, Refused};
pub use cpp::{Call, CppApi, cpp_signatures};
pub use kernel::{KernelParts, dispatcher, native_kernel, structured_arguments};
pub use python::{Form, PythonSignature};
pub use stub::Stub;
pub use types::Sizes;

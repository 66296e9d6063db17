//! Faces of an operator: the C++ and Python declarations that torchgen generates from a schema
//! (`docs/spec/signatures.md`).
//!
//! A face depends on the schema, the release and the [`Context`]. `opatlas_operators::faces` builds
//! those that need several entries, such as structured kernel classes.
//!
//! torchgen rejects some schemas that its reader accepts: a type may have no C++ spelling, or
//! Python may not support an argument. Such a face is [`Refused`].

mod context;
mod cpp;
mod default;
mod default_compiles;
mod kernel;
mod number;
mod python;
mod python_binding;
mod python_order;
mod shim;
mod stub;
mod stub_type;
mod types;

pub use context::{Context, Refused};
pub use cpp::{Call, CppApi, cpp_overloads, cpp_signatures};
pub use default_compiles::default_compiles;
pub use kernel::{KernelParts, dispatcher, native_kernel, structured_arguments};
pub use python::{Form, PythonSignature};
pub use python_binding::{OptionsFault, can_be_parsed, can_be_returned, options_fault};
pub use shim::{ShimVersion, shim_declarations};
pub use stub::Stub;
pub use types::Sizes;

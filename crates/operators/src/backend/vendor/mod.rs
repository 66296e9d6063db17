//! Vendors' files: supersets of backend files, and overlays on PyTorch's entries
//! (`docs/spec/vendors.md`). [`BackendFile::under`](crate::backend::BackendFile::under) resolves
//! one for a release.

mod builtin;
mod delegates;
mod entry;
mod overlay;
mod profile;
mod profile_text;
mod read;
mod recognition;
mod resolve;
mod schema;
pub(super) mod suggest;
mod versions;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use opatlas_schema::function::FunctionSchema;
use opatlas_source::Span;

use crate::entry::Placed;

pub(super) use overlay::overlay;
pub use profile::Profile;
pub(super) use read::{document, sections};
pub(super) use recognition::{Format, of_list, of_mapping};
pub use versions::Versions;

/// A vendor's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorFile {
    /// Its profile.
    pub profile: Arc<Profile>,
    /// The entries of all sections, in order.
    pub entries: Vec<VendorEntry>,
    /// Whether it is an overlay.
    pub is_overlay: bool,
}

opatlas_source::words! {
    /// A section of a vendor's file.
    pub enum Section {
        /// Operators with kernels for the vendor's key.
        Supported = "supported",
        /// Schemas of PyTorch's operators with kernels for the vendor's key.
        Official = "official",
        /// Operators with kernels for the vendor's autograd key.
        Autograd = "autograd",
        /// Derivative formulas, which imply kernels for the autograd key.
        Derivatives = "backward",
        /// The vendor's operators.
        Custom = "custom",
        /// The vendor's operators with kernels for the autograd key.
        CustomAutograd = "custom_autograd",
        /// Operators of a library, with unknown kernels.
        Library = "schemas",
        /// Operators whose kernels take symbolic sizes.
        Symint = "symint",
        /// An entry of an overlay.
        Overlay = "func",
    }
}

impl Section {
    /// Whether its entries declare the vendor's own operators.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Self::Custom | Self::CustomAutograd | Self::Library)
    }
}

/// An entry of a vendor's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorEntry {
    /// The section.
    pub section: Section,
    /// The namespace in the entry.
    pub namespace: Option<Box<str>>,
    /// The operator's name without its namespace.
    pub name: Placed<Box<str>>,
    /// The schema, if it is valid.
    pub schema: Option<Arc<WholeSchema>>,
    /// Its releases.
    pub versions: Versions,
    /// The kernels that it names; `None` if it has one at the vendor's key.
    pub kernels: Option<Vec<VendorKernel>>,
    /// `false` if it says that it is not structured.
    pub may_be_structured: bool,
    /// The field that adds a kernel at the autograd key.
    pub autograd: Option<Span>,
    /// `false` if a field (`skip_if`) says that the entry registers no kernel.
    pub is_registered: bool,
    /// `true` if only some builds or devices have it.
    pub is_conditional: bool,
}

/// A whole schema in a vendor's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeSchema {
    /// The schema.
    pub schema: FunctionSchema,
    /// Its canonical text.
    pub canonical: Box<str>,
    /// The canonical text of its signature.
    pub signature: Box<str>,
    /// The position of its text.
    pub at: Span,
}

/// A kernel in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorKernel {
    /// The dispatch key in PyTorch's spelling.
    pub key: Box<str>,
    /// The kernel.
    pub kernel: Placed<Box<str>>,
}

/// A named kernel of a vendor's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedKernel {
    /// The dispatch key.
    pub key: Box<str>,
    /// The namespace of the operator.
    pub namespace: Box<str>,
    /// The operator without its namespace.
    pub operator: Box<str>,
    /// The function; `None` for the one that torchgen names after the operator.
    pub kernel: Option<Box<str>>,
    /// The position of its registration.
    pub at: Span,
    /// Whether it also serves the variants that delegate to a structured out variant.
    pub serves_delegates: bool,
}

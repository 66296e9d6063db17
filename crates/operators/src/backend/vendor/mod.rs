//! Vendors' files: supersets of backend files, and overlays on PyTorch's entries
//! (`docs/spec/vendors.md`).
//!
//! A [`VendorFile`] is independent of the release;
//! [`BackendFile::under`](crate::backend::BackendFile::under) resolves it for one.

mod overlay;
mod profile;
mod read;
mod resolve;
mod versions;

use std::sync::Arc;

use opatlas_schema::function::FunctionSchema;
use opatlas_source::Span;

use crate::entry::Placed;

pub(super) use overlay::overlay;
pub use profile::Profile;
pub(super) use read::{Superset, sections, superset};
pub use versions::Versions;

/// A vendor's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorFile {
    /// The profile that it was read with.
    pub profile: Arc<Profile>,
    /// Its entries of all sections, in order.
    pub entries: Vec<VendorEntry>,
    /// Whether it is an overlay.
    pub is_overlay: bool,
}

/// A section of a vendor's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// `supported`: names of operators with a kernel on the vendor's key.
    Supported,
    /// `official`: schemas of PyTorch's operators with a kernel on the vendor's key.
    Official,
    /// `autograd`: operators with a kernel on the vendor's autograd key.
    Autograd,
    /// `backward`: derivative formulas, which imply kernels on the autograd key.
    Derivatives,
    /// `custom`: operators of the vendor's own.
    Custom,
    /// `custom_autograd`: own operators with a kernel on the autograd key.
    CustomAutograd,
    /// `schemas`: operators of a library, with unknown kernels.
    Library,
    /// `symint`: operators whose kernels take symbolic sizes.
    Symint,
    /// An entry of an overlay.
    Overlay,
}

impl Section {
    /// The key as in the file; `func` for a list.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Official => "official",
            Self::Autograd => "autograd",
            Self::Derivatives => "backward",
            Self::Custom => "custom",
            Self::CustomAutograd => "custom_autograd",
            Self::Library => "schemas",
            Self::Symint => "symint",
            Self::Overlay => "func",
        }
    }

    /// Whether its entries declare operators of the vendor's own.
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
    /// The namespace, where the entry names one.
    pub namespace: Option<Box<str>>,
    /// The operator's name without its namespace.
    pub name: Placed<Box<str>>,
    /// The whole schema, if it can be read.
    pub schema: Option<Arc<WholeSchema>>,
    /// The releases that it is for.
    pub versions: Versions,
    /// Its `dispatch`, on the keys that the vendor registers to.
    pub kernels: Vec<VendorKernel>,
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

/// A kernel that an entry names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorKernel {
    /// The dispatch key, in PyTorch's words.
    pub key: Box<str>,
    /// The kernel.
    pub kernel: Placed<Box<str>>,
}

/// A kernel that a vendor's file registers under its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedKernel {
    /// The dispatch key.
    pub key: Box<str>,
    /// The namespace of the operator.
    pub namespace: Box<str>,
    /// The operator without its namespace.
    pub operator: Box<str>,
    /// The function.
    pub kernel: Box<str>,
    /// The position of its registration.
    pub at: Span,
    /// Whether the kernel of a structured out variant serves the variants that delegate to it.
    pub serves_delegates: bool,
}

//! Vendors' files: supersets of backend files, and overlays on PyTorch's entries
//! (`docs/spec/vendors.md`). [`BackendFile::under`](crate::backend::BackendFile::under) resolves
//! one for a release.

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
    /// Its profile.
    pub profile: Arc<Profile>,
    /// The entries of all sections, in order.
    pub entries: Vec<VendorEntry>,
    /// Whether it is an overlay.
    pub is_overlay: bool,
}

/// A section of a vendor's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// `supported`: operators with kernels for the vendor's key.
    Supported,
    /// `official`: schemas of PyTorch's operators with kernels for the vendor's key.
    Official,
    /// `autograd`: operators with kernels for the vendor's autograd key.
    Autograd,
    /// `backward`: derivative formulas, which imply kernels for the autograd key.
    Derivatives,
    /// `custom`: the vendor's operators.
    Custom,
    /// `custom_autograd`: the vendor's operators with kernels for the autograd key.
    CustomAutograd,
    /// `schemas`: operators of a library, with unknown kernels.
    Library,
    /// `symint`: operators whose kernels take symbolic sizes.
    Symint,
    /// An entry of an overlay.
    Overlay,
}

impl Section {
    /// The key in the file; `func` for a list.
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
    /// The kernels in its `dispatch`, for the vendor's keys.
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
    /// The function.
    pub kernel: Box<str>,
    /// The position of its registration.
    pub at: Span,
    /// Whether it also serves the variants that delegate to a structured out variant.
    pub serves_delegates: bool,
}

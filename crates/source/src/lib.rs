//! The sources of a revision: files, bundles, byte spans, the line index, digests, and the
//! diagnostics that point into them.
//!
//! The core uses [`Span`]s of bytes. Only [`LineIndex`], at the edge, makes lines and columns.

mod bundle;
mod content;
pub mod diagnostic;
mod digest;
mod gallop;
mod place;
mod rule_id;
pub mod sentence;
mod stop;
pub mod suggest;
pub mod visible;
mod words;

pub use bundle::{
    BACKENDS, Bundle, DEPRECATED, DERIVATIVES, FALLBACK_OPS, NATIVE_FUNCTIONS, OBSERVED, SOURCES,
    TAGS, VENDOR,
};
pub use content::Content;
pub use digest::{Digest, Hasher, revision_digest};
pub use gallop::gallop;
pub use place::{LineColumn, LineIndex, LineSpan, Span};
pub use sentence::{Message, Piece};
pub use stop::{Stop, Stopped};

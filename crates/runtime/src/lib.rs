//! The runtime's schema language and the compatibility check of torch 2.9.0.
//!
//! [`parse`] reads the runtime's schema language, which is wider than that of
//! `native_functions.yaml`; [`parse_definition`] reads it as `m.def` does; [`compare`] judges two schemas. The grammars and their notions of
//! equality differ: only [`of_model`] and [`to_model`] convert.
//!
//! PyTorch's blind spots and false alarms are reproduced. The change rules cover them
//! (`docs/spec/compatibility.md`, section 6).

mod alias;
mod classes;
mod compare;
mod default_parser;
mod lexer;
mod number;
mod of_model;
mod parser;
mod print;
mod reason;
mod schema;
mod subtype;
mod to_model;
mod type_parser;
mod type_variables;
mod types;
mod union;
mod value;

pub use alias::{Alias, Symbol, SymbolSet};
pub use classes::Classes;
pub use compare::compare;
pub use of_model::of_model;
pub use parser::{MAX_TEXT, parse, parse_definition, parse_with};
pub use reason::{ArgumentBreak, BackwardBreak, Verdict};
pub use schema::{Argument, DEFAULT_NAMESPACE, RuntimeSchema};
pub use subtype::{is_subtype, same};
pub use to_model::to_model;
pub use types::{Base, Type};
pub use value::{Device, List, Value};

/// The rules that parsing checks.
pub mod rule {
    use opatlas_source::diagnostic::RuleId;

    /// A token that the grammar does not allow here.
    pub const SYNTAX: RuleId = RuleId::RuntimeSchemaSyntax;
    /// A type that the runtime does not know or cannot create.
    pub const TYPE: RuleId = RuleId::RuntimeSchemaType;
    /// A default that the runtime cannot evaluate for its argument.
    pub const DEFAULT: RuleId = RuleId::RuntimeSchemaDefault;
    /// A default where none is allowed, or a missing required default.
    pub const ORDER: RuleId = RuleId::RuntimeSchemaDefaultOrder;
    /// Longer or deeper than Opatlas reads.
    pub const LIMIT: RuleId = RuleId::RuntimeSchemaLimit;
}

//! Whole schemas in vendors' files.

use opatlas_schema::function::FunctionSchema;
use opatlas_schema::signature::signature;
use opatlas_source::Span;

use super::WholeSchema;

/// Namespace, name and schema.
pub(super) type Whole = (Option<Box<str>>, Box<str>, Option<WholeSchema>);

pub(super) fn whole_schema(schema: FunctionSchema, at: Span) -> WholeSchema {
    WholeSchema {
        canonical: schema.to_string().into(),
        signature: signature(&schema).into(),
        schema,
        at,
    }
}

/// `true` if all names and defaults are single words. torchgen takes double blanks for parts of
/// names, and an argument after a comma without a blank for part of the default.
pub(super) fn is_plain(schema: &FunctionSchema) -> bool {
    let is_word = |name: &str| !name.contains(char::is_whitespace);
    let is_value = |default: &str| {
        default.starts_with(['[', '(', '"', '\'']) || !default.contains([',', ' ', '\t', '\n'])
    };
    let mut arguments = schema.arguments.all().iter();
    is_word(schema.name.as_str())
        && arguments.all(|argument| {
            is_word(&argument.name) && argument.default.as_deref().is_none_or(is_value)
        })
}

/// A schema that only the runtime reads. Its canonical text is PyTorch's, without the namespace.
pub(super) fn runtime_schema(read: opatlas_runtime::RuntimeSchema<'_>, at: Span) -> WholeSchema {
    let schema = opatlas_runtime::to_model(&read);
    let bare = opatlas_runtime::RuntimeSchema {
        has_namespace: false,
        ..read
    };
    WholeSchema {
        canonical: bare.printed().into(),
        signature: signature(&schema).into(),
        schema,
        at,
    }
}

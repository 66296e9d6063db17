//! Parsing and validation of schemas that are not stored.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::parse::{ParsedSchema, parse_schema};
use opatlas_schema::types::Type;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::suggest::nearest;

/// A schema that was parsed and judged on its own, not as an entry.
#[derive(Debug)]
pub struct JudgedSchema {
    /// The parsed text.
    pub parsed: ParsedSchema,
    /// Errors, with positions in the text.
    pub errors: Vec<Diagnostic>,
}

impl JudgedSchema {
    /// Parses and judges a schema as torchgen does alone (`FunctionSchema.parse`,
    /// `docs/spec/grammar.md`, sections 1 to 7).
    #[must_use]
    pub fn read(text: &str, release: Release) -> Self {
        let parsed = parse_schema(text, 0);
        let mut errors = parsed.diagnostics.clone();
        if let Some(schema) = &parsed.schema {
            errors.extend(broken_invariants(schema));
            errors.extend(refused_by_release(schema, release));
        }
        errors.sort_by_key(|error| error.span);
        Self { parsed, errors }
    }

    /// The schema, if it has no errors.
    #[must_use]
    pub fn schema(&self) -> Option<&FunctionSchema> {
        self.parsed
            .schema
            .as_ref()
            .filter(|_| self.errors.is_empty())
    }
}

/// Errors for what the release does not have: base types, and the shorthand `Tensor!`.
fn refused_by_release(schema: &FunctionSchema, release: Release) -> Vec<Diagnostic> {
    let arguments = schema.arguments.all().iter();
    let arguments = arguments.map(|a| (&a.ty, a.annotation.as_ref(), a.type_at.0));
    let returns = schema.returns.iter();
    let returns = returns.map(|r| (&r.ty, r.annotation.as_ref(), r.at.0));
    let mut refused = Vec::new();
    for (ty, annotation, at) in arguments.chain(returns) {
        refused.extend(unknown_type(ty, at, release));
        if annotation.is_some_and(|annotation| annotation.shorthand) {
            refused.push(
                Diagnostic::new(
                    RuleId::AnnotationShorthandTensorBang,
                    at,
                    "no release of PyTorch accepts `Tensor!`, although older documentation \
                     describes it",
                )
                .with_help("use an alias letter: `Tensor(a!)`"),
            );
        }
    }
    refused
}

fn unknown_type(ty: &Type, at: Span, release: Release) -> Option<Diagnostic> {
    let base = ty.innermost()?.as_str();
    let known = release.data().base_types;
    if known.contains(base) {
        return None;
    }
    let unknown = Diagnostic::new(
        RuleId::TypeUnknown,
        at,
        message!("PyTorch {} has no type `{}`", release, base),
    );
    Some(match nearest(base, known.iter()) {
        Some(near) => unknown.with_help(message!("did you mean `{}`?", near)),
        None => unknown,
    })
}

//! The schemas that the variants of one operator must have (torchgen `NativeFunctionsGroup`,
//! `FunctionSchema.signature`).
//!
//! torchgen groups operators by signature, so a variant whose arguments, defaults or returns differ
//! is in no group. [`differences`] names what differs, [`expected`] gives the schema to write.

mod difference;

use opatlas_schema::annotation::Annotation;
use opatlas_schema::function::{Argument, Arguments, FunctionSchema, Return, SchemaKind};
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::name::OperatorName;
use opatlas_schema::signature::{SignatureArgument, arguments, signature};

use super::generate::variants::{functional_schema, out_schema};
use difference::Pairs;

pub use difference::{Difference, differences};

/// The schema that `variant` must have for the signature of `reference`. It keeps the variant's
/// overload, annotations, and the names of out arguments and returns.
///
/// `None` if there is no such schema: a scratch variant, returns that cannot be written, or a schema
/// that torchgen refuses.
#[must_use]
pub fn expected(reference: &FunctionSchema, variant: &FunctionSchema) -> Option<FunctionSchema> {
    let base = functional_schema(reference);
    let returns = match variant.kind() {
        SchemaKind::Scratch => return None,
        SchemaKind::Out => return out(reference, &base, variant),
        SchemaKind::Functional => vec![renamed(&base.returns, variant)],
        SchemaKind::Inplace => vec![variant.returns.clone(), returned_self(variant), Vec::new()],
        SchemaKind::Mutable => vec![variant.returns.clone(), renamed(&base.returns, variant)],
    };
    let made = |returns| FunctionSchema {
        name: name(reference, variant),
        arguments: non_out(reference, variant),
        returns,
        name_at: variant.name_at,
        returns_at: variant.returns_at,
    };
    let mut made = returns.into_iter().map(made);
    made.find(|schema| is_sound(schema, variant.kind(), reference))
}

/// The out variant of a functional schema, named after its overload. `None` if torchgen refuses it.
#[must_use]
pub fn out_variant(functional: &FunctionSchema) -> Option<FunctionSchema> {
    let schema = out_schema(functional).ok()?;
    broken_invariants(&schema).is_empty().then_some(schema)
}

fn is_sound(schema: &FunctionSchema, kind: SchemaKind, reference: &FunctionSchema) -> bool {
    schema.kind() == kind
        && signature(schema) == signature(reference)
        && broken_invariants(schema).is_empty()
}

fn name(reference: &FunctionSchema, variant: &FunctionSchema) -> OperatorName {
    let name = &variant.name;
    OperatorName::from_parts(reference.name.stem(), name.form(), name.overload())
}

/// The arguments before the out arguments, with the annotations and TensorOptions of the variant.
fn non_out(reference: &FunctionSchema, variant: &FunctionSchema) -> Arguments {
    let wanted: Vec<SignatureArgument<'_>> = arguments(reference).collect();
    let found: Vec<SignatureArgument<'_>> = arguments(variant).collect();
    let pairs = Pairs::new(&wanted, &found);
    let kind = variant.kind();
    let both = wanted.iter().zip(&pairs.partners);
    let adapt = |(want, partner): (&SignatureArgument<'_>, &Option<usize>)| {
        adapted(*want, partner.map(|index| found[index]), kind)
    };
    let mut list: Vec<Argument> = both.map(adapt).collect();
    let positional = wanted.iter().filter(|want| !want.is_keyword_only).count();
    if let Some(options) = variant.arguments.tensor_options() {
        let mut own = variant.arguments.keyword_only().iter();
        let before = own.position(|argument| std::ptr::eq(argument, &raw const options[0]));
        let at = (positional + before.unwrap_or(0)).min(list.len());
        list.splice(at..at, options.iter().cloned());
    }
    let out = list.len();
    Arguments::new(list, positional, out)
}

/// An argument of the reference as the variant must declare it.
fn adapted(
    want: SignatureArgument<'_>,
    partner: Option<SignatureArgument<'_>>,
    kind: SchemaKind,
) -> Argument {
    // Declarations can differ where signatures agree (`bernoulli.p`).
    let same = partner.filter(|partner| partner.default == want.default);
    let default = match same {
        Some(partner) => partner.argument.default.clone(),
        None => want.default.map(Into::into),
    };
    let annotation = partner.and_then(|partner| partner.argument.annotation.clone());
    let fits = |annotation: &Annotation| {
        let is_write = kind == SchemaKind::Functional && annotation.write;
        want.argument.ty.is_tensor_like() && !is_write
    };
    Argument {
        annotation: annotation.filter(|annotation| fits(annotation)),
        default,
        ..want.argument.clone()
    }
}

/// Returns with the names and annotations of the variant's, if there are as many.
fn renamed(returns: &[Return], variant: &FunctionSchema) -> Vec<Return> {
    if returns.len() != variant.returns.len() {
        return returns.to_vec();
    }
    let both = returns.iter().zip(&variant.returns);
    both.map(|(wanted, found)| Return {
        ty: wanted.ty.clone(),
        ..found.clone()
    })
    .collect()
}

fn returned_self(variant: &FunctionSchema) -> Vec<Return> {
    let this = variant.arguments.self_argument();
    let returned = this.map(|this| Return {
        name: None,
        ty: this.ty.clone(),
        annotation: this.annotation.clone(),
        at: this.at,
    });
    returned.into_iter().collect()
}

/// The out variant; its out arguments have the names and letters of the variant's, if there are as
/// many.
fn out(
    reference: &FunctionSchema,
    base: &FunctionSchema,
    variant: &FunctionSchema,
) -> Option<FunctionSchema> {
    let arguments = non_out(reference, variant);
    // Arguments that the variant writes need no out argument.
    let written = arguments.all().iter().filter(|a| a.is_write()).count();
    let mut base = base.clone();
    base.returns
        .truncate(base.returns.len().saturating_sub(written));
    let generated = out_schema(&base).ok()?;
    let mut outs = generated.arguments.out().to_vec();
    let mut returns = generated.returns;
    if variant.arguments.out().len() != outs.len() && written > 0 {
        return None; // their letters are taken
    }
    keep_names(variant, &mut outs, &mut returns);
    let (positional, at) = (arguments.positional().len(), arguments.all().len());
    let mut list = arguments.all().to_vec();
    list.extend(outs);
    let schema = FunctionSchema {
        name: name(reference, variant),
        arguments: Arguments::new(list, positional, at),
        returns,
        name_at: variant.name_at,
        returns_at: variant.returns_at,
    };
    is_sound(&schema, variant.kind(), reference).then_some(schema)
}

/// Gives out arguments and returns the names and letters of the variant's, if there are as many.
fn keep_names(variant: &FunctionSchema, outs: &mut [Argument], returns: &mut [Return]) {
    let own = variant.arguments.out();
    if own.len() == outs.len() {
        for (index, (out, own)) in outs.iter_mut().zip(own).enumerate() {
            out.name.clone_from(&own.name);
            out.annotation.clone_from(&own.annotation);
            if let Some(returned) = returns.get_mut(index).filter(|one| one.is_write()) {
                returned.annotation.clone_from(&own.annotation);
            }
        }
    }
    if returns.len() == variant.returns.len() {
        for (returned, own) in returns.iter_mut().zip(&variant.returns) {
            returned.name.clone_from(&own.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use opatlas_schema::parse::parse_schema;

    use super::*;

    fn schema(text: &str) -> FunctionSchema {
        parse_schema(text, 0).schema.unwrap()
    }

    fn check(reference: &str, variant: &str, expects: &str, differs: &[&str]) {
        let (reference, variant) = (schema(reference), schema(variant));
        let made = expected(&reference, &variant).map(|schema| schema.to_string());
        assert_eq!(made.as_deref().unwrap_or("none"), expects);
        let found = differences(&reference, &variant);
        let found: Vec<String> = found.iter().map(|d| d.message().to_string()).collect();
        assert_eq!(found, differs);
    }

    #[test]
    fn out_variants() {
        check(
            "mul3(Tensor self, Tensor mat2, *, int n=1) -> Tensor",
            "mul3.out(Tensor self, Tensor mat2, int n=1, *, Tensor(a!) out) -> Tensor(a!)",
            "mul3.out(Tensor self, Tensor mat2, *, int n=1, Tensor(a!) out) -> Tensor(a!)",
            &["`n` must be keyword-only"],
        );
        check(
            "mul3(Tensor self, Tensor mat2) -> Tensor",
            "mul3.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
            "mul3.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)",
            &["`other` must be named `mat2`"],
        );
        check(
            "top(Tensor self, int k, bool largest=True) -> (Tensor values, Tensor indices)",
            "top.values(Tensor self, float k=1, *, Tensor(a!) values) -> Tensor(a!)",
            "top.values(Tensor self, int k, bool largest=True, *, Tensor(a!) out0, Tensor(b!) out1) \
             -> (Tensor(a!), Tensor(b!))",
            &[
                "`k` must have type `int`, not `float`",
                "`k` must not have a default",
                "argument `bool largest=True` is missing",
                "it must return `(Tensor, Tensor)`, not `Tensor`",
            ],
        );
    }

    #[test]
    fn the_edited_variant_can_be_any() {
        check(
            "bend_(Tensor(a!) self, int by, bool keep=False) -> Tensor(a!)",
            "bend.out(Tensor self, int by, *, Tensor(b!) out) -> Tensor(b!)",
            "bend.out(Tensor self, int by, bool keep=False, *, Tensor(b!) out) -> Tensor(b!)",
            &["argument `bool keep=False` is missing"],
        );
        check(
            "bend.out(Tensor self, int by, bool keep=False, *, Tensor(b!) out) -> Tensor(b!)",
            "bend_(Tensor(a!) self, bool keep=True, int by=0) -> Tensor(a!)",
            "bend_(Tensor(a!) self, int by, bool keep=False) -> Tensor(a!)",
            &[
                "`by` must not have a default",
                "`keep` must have the default `False`, not `True`",
                "the order of the arguments must be `self, by, keep`",
            ],
        );
        check(
            "bend_(Tensor(a!) self, int by) -> Tensor(a!)",
            "bend(Tensor self, int by, *, bool old, bool older) -> Tensor",
            "bend(Tensor self, int by) -> Tensor",
            &[
                "argument `old` must be removed",
                "argument `older` must be removed",
            ],
        );
    }

    #[test]
    fn lists_and_mutable_operators() {
        check(
            "_foreach_bend(Tensor[] self, Scalar by) -> Tensor[]",
            "_foreach_bend_(Tensor(a!)[] self, Scalar amount) -> ()",
            "_foreach_bend_(Tensor(a!)[] self, Scalar by) -> ()",
            &["`amount` must be named `by`"],
        );
        check(
            "stir_functional(Tensor x, Tensor seen, bool fast) -> (Tensor, Tensor seen_out)",
            "stir(Tensor x, Tensor(a!) seen) -> Tensor",
            "stir(Tensor x, Tensor(a!) seen, bool fast) -> Tensor",
            &["argument `bool fast` is missing"],
        );
    }

    #[test]
    fn what_cannot_be_written_has_no_schema() {
        check(
            "flag(Tensor self) -> bool",
            "flag.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
            "none",
            &["it must return `bool`, not `Tensor`"],
        );
    }
}

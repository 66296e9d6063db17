//! Formulas of `_foreach_` operators, from the operator that they apply to each tensor of a list
//! (torchgen `gen_foreach_derivativeinfo`).

use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_schema::types::Type;

use super::{Basis, ByStem, Differentiability, FormulaMatch, KeyFormulas, Matcher};
use crate::derivatives::DEFAULT_KEY;
use crate::operator::Operator;

const PREFIX: &str = "_foreach_";

/// Overloads of a base name to try; real names have fewer.
const MOST_OVERLOADS: usize = 1_000;

pub(super) fn is_foreach(operator: &Operator) -> bool {
    operator.name().stem().starts_with(PREFIX)
}

impl Matcher<'_> {
    pub(super) fn foreach(&self, operator: &Operator) -> Option<FormulaMatch> {
        let lists = &self.release.data().codegen;
        let name = operator.name_text();
        let inplace = operator.kind == SchemaKind::Inplace;
        if self.release < Release::V2_1 {
            let plain =
                !operator.name().is_inplace() && operator.schema().arguments.post_self().is_empty();
            let found = plain.then(|| self.functional_stems.get(reference_stem(operator)));
            return self.made(operator, *found.flatten()?.first()?);
        }
        let functional = self.reference(operator, &self.functional_stems);
        let reference = functional.or_else(|| {
            let allowed = inplace && lists.foreach_with_inplace_ref.contains(name);
            allowed
                .then(|| self.reference(operator, &self.other_stems))
                .flatten()
        })?;
        self.made(operator, reference)
    }

    /// The first operator that takes single tensors instead of lists.
    fn reference(&self, operator: &Operator, by_stem: &ByStem<'_>) -> Option<u32> {
        let candidates = by_stem.get(reference_stem(operator))?;
        let fits = |&&index: &&u32| {
            let reference = self.operator(self.found[index as usize].operator);
            self.arguments_fit(operator, reference)
        };
        candidates.iter().take(MOST_OVERLOADS).find(fits).copied()
    }

    fn arguments_fit(&self, operator: &Operator, reference: &Operator) -> bool {
        let own = operator.schema().arguments.non_out();
        let arguments = &reference.schema().arguments;
        let other: Vec<&Argument> = arguments
            .positional()
            .iter()
            .chain(arguments.keyword_only_without_options())
            .collect();
        let lists = &self.release.data().codegen;
        let name = operator.name_text();
        let any_count =
            self.release < Release::V2_4 || lists.foreach_skip_argument_len_check.contains(name);
        let fits = |own: &Argument, other: &Argument| {
            let element = match &own.ty {
                Type::List(inner, _) | Type::Optional(inner) => Some(&**inner),
                Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => None,
            };
            other.ty == own.ty || Some(&other.ty) == element
        };
        (any_count || own.len() == other.len())
            && own.iter().zip(other).all(|(own, other)| fits(own, other))
    }

    /// In place: the reference's formulas. Otherwise: a new function, from `Default` only.
    fn made(&self, operator: &Operator, reference: u32) -> Option<FormulaMatch> {
        let Differentiability { keys, .. } = &self.found[reference as usize];
        let default = keys.iter().find(|key| &*key.key == DEFAULT_KEY)?;
        let function = if operator.kind == SchemaKind::Inplace {
            default.function.clone()
        } else {
            let overload = operator.name().overload();
            let made = |name: &str| format!("Foreach{name}{overload}").into();
            default.function.as_deref().map(made)
        };
        let formulas = KeyFormulas {
            function,
            ..default.clone()
        };
        Some(FormulaMatch::Made(vec![formulas], reference))
    }
}

fn reference_stem(operator: &Operator) -> &str {
    let stem = operator.name().stem();
    stem.rsplit_once(PREFIX).map_or(stem, |(_, name)| name)
}

impl Basis {
    /// The operator whose formulas are used, if it is another one.
    #[must_use]
    pub fn reference(self) -> Option<crate::operator::OperatorId> {
        match self {
            Self::View(operator) | Self::Foreach(operator) => Some(operator),
            Self::Own | Self::Functional | Self::Generated => None,
        }
    }
}

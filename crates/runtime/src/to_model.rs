//! Converts schemas of library operators, which may contain more than `native_functions.yaml` can.

use opatlas_schema::annotation::{AfterSet, Annotation};
use opatlas_schema::function::{Argument as ModelArgument, Arguments, At, FunctionSchema, Return};
use opatlas_schema::name::OperatorName;
use opatlas_schema::types::{BaseType, ListSize, Type as ModelType};
use opatlas_source::Span;

use super::alias::{Alias, Symbol, SymbolSet};
use super::schema::{Argument, RuntimeSchema};
use super::types::Type;

/// The schema in the operator model. Types that the model does not have stay text; alias sets
/// become letters in order of appearance; `...` is dropped.
#[must_use]
pub fn to_model(schema: &RuntimeSchema<'_>) -> FunctionSchema {
    let mut letters = Letters::default();
    let arguments: Vec<_> = schema
        .arguments
        .iter()
        .map(|argument| argument_of(argument, &mut letters))
        .collect();
    let count = arguments.len();
    let is_keyword = |argument: &Argument<'_>| argument.is_kwarg_only;
    let positional = schema
        .arguments
        .iter()
        .position(is_keyword)
        .unwrap_or(count);
    let out = schema
        .arguments
        .iter()
        .rev()
        .take_while(|a| a.is_out())
        .count();
    let returns = schema.returns.iter().map(|ret| Return {
        name: (!ret.name.is_empty()).then(|| ret.name.into()),
        ty: type_of(&ret.ty, ret.size),
        annotation: ret
            .alias
            .as_ref()
            .and_then(|a| letters.annotation(a))
            .map(Box::new),
        at: At(ret.span),
    });
    FunctionSchema {
        name: OperatorName::of_runtime(schema.name, schema.overload),
        arguments: Arguments::new(arguments, positional, count - out),
        returns: returns.collect(),
        name_at: At::default(),
        returns_at: At::default(),
    }
}

fn argument_of<'a>(argument: &'a Argument<'a>, letters: &mut Letters<'a>) -> ModelArgument {
    let alias = argument.alias.as_ref();
    ModelArgument {
        name: argument.name.into(),
        ty: type_of(&argument.ty, argument.size),
        default: argument.default_text().map(String::into_boxed_str),
        annotation: alias
            .and_then(|alias| letters.annotation(alias))
            .map(Box::new),
        at: At(argument.span),
        type_at: At(Span::at(argument.span.start)),
        name_at: At(Span::at(argument.span.start)),
        default_at: At(Span::at(argument.span.end)),
    }
}

/// `size` is that of the outermost list.
fn type_of(ty: &Type<'_>, size: Option<i32>) -> ModelType {
    match ty {
        Type::Base(base) => match BaseType::parse(base.as_str()) {
            Some(base) => ModelType::Base(base),
            None => ModelType::Runtime(base.as_str().into()),
        },
        Type::Class { namespace, name } => ModelType::Custom(format!("{namespace}.{name}").into()),
        Type::Optional(inner) => ModelType::Optional(Box::new(type_of(inner, size))),
        Type::List(inner) => {
            let size = size.and_then(|size| ListSize::parse(&size.to_string()));
            ModelType::List(Box::new(type_of(inner, None)), size)
        }
        Type::Variable(_)
        | Type::Tuple(_)
        | Type::Dict(_)
        | Type::Future(_)
        | Type::Await(_)
        | Type::RRef(_)
        | Type::Union(_) => ModelType::Runtime(ty.text().into()),
    }
}

#[derive(Default)]
struct Letters<'a> {
    sets: Vec<Symbol<'a>>,
}

impl<'a> Letters<'a> {
    fn annotation(&mut self, alias: &Alias<'a>) -> Option<Annotation> {
        let own = alias.before.as_slice().is_empty();
        let alias = match &alias.contained {
            Some(contained) if own => contained,
            _ => alias,
        };
        let mut before = self.of(&alias.before);
        if before.is_empty() {
            if !alias.is_write {
                return None;
            }
            before.push(self.letter(Symbol::Wildcard));
        }
        let is_same = alias.after == alias.before || alias.after.as_slice().is_empty();
        let after = match alias.after.as_slice() {
            _ if is_same => AfterSet::Same,
            after if after.contains(&Symbol::Wildcard) => AfterSet::Wildcard,
            _ => AfterSet::Letters(self.of(&alias.after).into()),
        };
        Some(Annotation {
            before: before.into(),
            write: alias.is_write,
            after,
            shorthand: false,
        })
    }

    fn of(&mut self, sets: &SymbolSet<'a>) -> Vec<u8> {
        let symbols = sets.as_slice().iter();
        symbols.map(|&symbol| self.letter(symbol)).collect()
    }

    /// Beyond 26 sets, all share the last letter.
    fn letter(&mut self, symbol: Symbol<'a>) -> u8 {
        let known = self.sets.iter().position(|set| *set == symbol);
        let index = known.unwrap_or_else(|| {
            self.sets.push(symbol);
            self.sets.len() - 1
        });
        b'a' + u8::try_from(index.min(25)).unwrap_or(25)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use opatlas_schema::function::SchemaKind;

    #[test]
    fn what_the_model_can_say_prints_as_it_is_written() {
        for text in [
            "nms_out(Tensor a, *, float x=0.5, Tensor(a!) out) -> Tensor(a!)",
            "f.Tensor(Tensor(a!) self, int[2] size=0, __torch__.torch.classes.acme.Cache? c=None) -> ()",
            "g(Tensor[] xs, Dict(str, Tensor) named, (int, str) pair) -> (Tensor a, Dict(str, int) b)",
            "h(Tensor(a!)[] self) -> ((Tensor, int))",
        ] {
            let schema = parse(text).unwrap();
            let printed = to_model(&schema).to_string();
            let expected = text.replace("-> ((Tensor, int))", "-> (Tensor, int)");
            assert_eq!(printed, expected);
        }
    }

    #[test]
    fn kinds_follow_from_what_is_written_to() {
        let kind = |text: &str| to_model(&parse(text).unwrap()).kind();
        assert_eq!(kind("f(*, Tensor(x!) out) -> ()"), SchemaKind::Out);
        assert_eq!(kind("f_(Tensor! self) -> ()"), SchemaKind::Inplace);
        assert_eq!(kind("f(Tensor a, Tensor(*!) b) -> ()"), SchemaKind::Mutable);
        assert_eq!(kind("f(Dict(int, int) a) -> ()"), SchemaKind::Functional);
    }
}

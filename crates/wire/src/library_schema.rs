//! A schema of an operator library, as the runtime's parser reads it, in the shape of
//! [`ParsedSchema`].

use std::borrow::Cow;

use opatlas_diff::official::{Alias, RuntimeSchema, Symbol, SymbolSet};

use crate::operator::{Argument, OperatorKind, Return};
use crate::schemas::{AliasSet, ParsedSchema};

/// The parts of a schema. The signature is null, because only the code generator defines it.
#[must_use]
pub fn parsed<'a>(schema: &RuntimeSchema<'a>) -> ParsedSchema<'a> {
    let name = match schema.overload {
        "" => Cow::Borrowed(schema.name),
        overload => Cow::Owned(format!("{}.{overload}", schema.name)),
    };
    ParsedSchema {
        schema: Some(schema.printed()),
        namespace: Some(schema.namespace),
        name: Some(name),
        base_name: Some(schema.name),
        overload: Some(schema.overload),
        kind: Some(kind(schema)),
        arguments: Some(arguments(schema)),
        returns: Some(returns(schema)),
        alias_sets: Some(alias_sets(schema)),
        ..ParsedSchema::default()
    }
}

/// The runtime does not define kinds, so the code generator's rules apply: mutable keyword-only
/// arguments are out arguments, and a name with a trailing `_` is in-place.
fn kind(schema: &RuntimeSchema<'_>) -> OperatorKind {
    let mut written = schema
        .arguments
        .iter()
        .filter(|argument| argument.alias.as_ref().is_some_and(|a| a.is_write))
        .peekable();
    if written.peek().is_none() {
        return OperatorKind::Functional;
    }
    if written.clone().any(|argument| argument.is_kwarg_only) {
        return OperatorKind::Out;
    }
    let is_dunder = schema.name.starts_with("__") && schema.name.ends_with("__");
    let only_self = written.all(|argument| argument.name == "self");
    if only_self && schema.name.ends_with('_') && !is_dunder {
        OperatorKind::Inplace
    } else {
        OperatorKind::Mutable
    }
}

fn arguments<'a>(schema: &RuntimeSchema<'a>) -> Vec<Argument<'a>> {
    let arguments = schema.arguments.iter().enumerate();
    arguments
        .map(|(i, argument)| Argument {
            name: argument.name,
            ty: argument.type_text(),
            default: argument.default_text().map(Cow::Owned),
            annotation: argument.alias.as_ref().map(|alias| alias.text()),
            kwarg_only: argument.is_kwarg_only,
            is_out: argument.is_out(),
            is_self: i == 0 && argument.name == "self",
        })
        .collect()
}

fn returns<'a>(schema: &RuntimeSchema<'a>) -> Vec<Return<'a>> {
    let returns = schema.returns.iter();
    returns
        .map(|ret| Return {
            name: (!ret.name.is_empty()).then_some(ret.name),
            ty: ret.type_text(),
            annotation: ret.alias.as_ref().map(|alias| alias.text()),
        })
        .collect()
}

fn alias_sets<'a>(schema: &RuntimeSchema<'a>) -> Vec<AliasSet<'a>> {
    let mut sets: Vec<(Symbol<'a>, AliasSet<'a>)> = Vec::new();
    for argument in &schema.arguments {
        for (symbol, is_write) in symbols(argument.alias.as_deref()) {
            let set = entry(&mut sets, symbol);
            set.is_write |= is_write;
            if set.arguments.last() != Some(&argument.name) {
                set.arguments.push(argument.name);
            }
        }
    }
    for (i, ret) in schema.returns.iter().enumerate() {
        for (symbol, is_write) in symbols(ret.alias.as_deref()) {
            let set = entry(&mut sets, symbol);
            set.is_write |= is_write;
            if set.returns.last() != Some(&i) {
                set.returns.push(i);
            }
        }
    }
    sets.into_iter().map(|(_, set)| set).collect()
}

fn symbols<'a>(alias: Option<&Alias<'a>>) -> Vec<(Symbol<'a>, bool)> {
    let Some(alias) = alias else {
        return Vec::new();
    };
    let named = |sets: &SymbolSet<'a>| sets.as_slice().to_vec();
    let mut all = named(&alias.before);
    all.extend(named(&alias.after));
    let mut symbols: Vec<_> = all.into_iter().map(|set| (set, alias.is_write)).collect();
    symbols.extend(self::symbols(alias.contained.as_deref()));
    symbols
}

fn entry<'s, 'a>(
    sets: &'s mut Vec<(Symbol<'a>, AliasSet<'a>)>,
    symbol: Symbol<'a>,
) -> &'s mut AliasSet<'a> {
    let at = match sets.iter().position(|(known, _)| *known == symbol) {
        Some(at) => at,
        None => {
            let set = AliasSet {
                name: symbol.to_string(),
                is_write: false,
                arguments: Vec::new(),
                returns: Vec::new(),
            };
            sets.push((symbol, set));
            sets.len() - 1
        }
    };
    &mut sets[at].1
}

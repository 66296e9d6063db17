//! Registrations in macro definitions, which are unresolved: they happen where the macro is used.

use super::blocks::{self, Block};
use super::conditions::split;
use super::source::Source;
use super::tokens::Directive;
use super::{Collector, Draft, helpers, opening};
use crate::parse::Reader;
use crate::{Macros, RegistrationKind, Scan};

pub(super) fn read(
    text: &str,
    directive: Directive,
    macros: &Macros,
    file: u32,
    reader: &mut Reader,
    scan: &mut Scan,
) {
    let Some(line) = text.get(directive.start as usize..directive.end as usize) else {
        return;
    };
    let (kind, _) = split(line);
    if kind != "define"
        || !["TORCH_LIBRARY", ".impl(", ".def(", ".fallback("]
            .iter()
            .any(|word| line.contains(word))
    {
        return;
    }
    let Some(at) = line.find("define").map(|at| at + "define".len()) else {
        return;
    };
    let rest = line.get(at..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let name_end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, body) = rest.split_at(name_end);
    // A macro that only opens a block registers nothing.
    if macros.is_known(name) || opening::is_opener(name) {
        return;
    }
    let begin = at + blanks + name_end;
    let base = directive.start + u32::try_from(begin).unwrap_or(0);
    let source = Source::new(body, base);
    let mut found = Collector {
        source: &source,
        macros,
        file,
        within_define: Some(name),
        left: Collector::budget(body),
        claims: Vec::new(),
        scan,
    };
    let before = found.scan.registrations.len();
    let left = blocks::read(&mut found, reader);
    for helper in &left.helpers {
        helpers::read_alone(&mut found, reader, helper, None);
    }
    if found.scan.registrations.len() == before {
        calls(&mut found);
    }
}

/// Calls of a library from the macro's environment: `m.impl(#op, fn)`.
fn calls(found: &mut Collector<'_, '_>) {
    let source = found.source;
    for index in 0..source.tokens.len() {
        let kind = match source.word(index) {
            Some("impl") => RegistrationKind::Impl,
            Some("def") => RegistrationKind::Def,
            Some("fallback") => RegistrationKind::Fallback,
            _ => continue,
        };
        let is_method = index > 1 && source.is(index - 1, b'.') && source.is(index + 1, b'(');
        let Some(close) = is_method.then(|| source.partner(index + 1)).flatten() else {
            continue;
        };
        let at = source.span(source.tokens[index - 2].start, source.tokens[close].end);
        let block = Block {
            namespace: None,
            key: None,
            variable: "m",
            through: "#define",
            at,
            body: (index, close),
            unresolved: None,
        };
        let arguments = source.expression(index + 2..close).arguments();
        let mut draft = Draft::new(kind, at, "#define");
        draft.name = arguments.first().and_then(|first| first.literal());
        found.add_without_key(&block, draft);
    }
}

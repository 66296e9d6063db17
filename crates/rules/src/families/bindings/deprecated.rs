//! `deprecated.yaml` against the operators of the revision.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::deprecated::matching::MOST_OVERLOADS;
use opatlas_operators::deprecated::{Deprecated, DeprecatedForm, Value};
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{DEPRECATED, message};
use rustc_hash::{FxHashMap, FxHashSet};

use super::place::{ByPlace, Place};
use crate::scope::places::declaration;
use crate::sink::Sink;

/// The forms behind one name: their texts without out arguments.
#[derive(Default)]
struct Forms {
    base: FxHashSet<String>,
    out: Vec<(String, usize)>,
}

pub(super) fn check(catalogue: &Catalogue, file: &Deprecated, sink: &mut Sink) {
    sink.complaints(DEPRECATED, &file.diagnostics);
    let matches = catalogue.deprecated_matches();
    let mut all: ByPlace<'_, Forms> = FxHashMap::default();
    for (index, form) in sink.while_wanted(file.forms.iter().enumerate()) {
        let called = matches.of_form(index);
        if !unknown(catalogue, form, sink) && called.is_empty() {
            unmatched(catalogue, form, sink);
        }
        let mut is_repeated = None;
        // An operator that is declared twice has the form once.
        let is_first = |id: &&OperatorId| !catalogue.groups.of(**id).duplicates.contains(*id);
        for &id in called.iter().filter(is_first) {
            let repeated = add(catalogue, (index, form), id, &mut all);
            is_repeated = is_repeated.or(repeated.then_some(id));
        }
        if let Some(id) = is_repeated {
            repeated(catalogue, form, id, sink);
        }
    }
    let mut alone: Vec<usize> = Vec::new();
    for forms in all.values() {
        let lone = forms
            .out
            .iter()
            .filter(|(text, _)| !forms.base.contains(text));
        alone.extend(lone.map(|(_, index)| *index));
    }
    alone.sort_unstable();
    alone.dedup();
    for index in sink.while_wanted(alone) {
        out_alone(catalogue, &file.forms[index], sink);
    }
}

/// Reports values in a call that are not arguments. Returns whether there are any.
fn unknown(catalogue: &Catalogue, form: &DeprecatedForm, sink: &mut Sink) -> bool {
    let arguments = form.call.arguments.iter();
    let unknown = arguments.filter(|passed| passed.value == Value::Unknown);
    let mut any = false;
    for passed in unknown {
        any = true;
        let (message, help) = match &*passed.text {
            "" => (
                "the call passes nothing".into(),
                "pass at least one argument; PyTorch's generator takes `()` for an argument without a name",
            ),
            text => (
                message!("`{}` is not an argument of the deprecated signature", text),
                "pass arguments of `name` or the constant `1`, separated by a comma and one space",
            ),
        };
        let diagnostic = Diagnostic::new(RuleId::DeprecatedArgument, passed.at, message);
        report(catalogue, form, sink, diagnostic.with_help(help));
    }
    any
}

fn unmatched(catalogue: &Catalogue, form: &DeprecatedForm, sink: &mut Sink) {
    let name = &*form.call.name;
    if catalogue.native_functions.may_hide_overload(name) {
        return;
    }
    let overloads = catalogue.overloads(name);
    let is_bound = overloads.iter().any(|&id| catalogue.is_bound(id));
    let message = match (overloads.is_empty(), is_bound) {
        (true, _) => message!("unknown operator `{}`", name),
        (false, false) => message!("Python has no binding for `{}`", name),
        (false, true) => {
            message!(
                "no overload of `{}` takes these arguments and has these returns",
                name
            )
        }
    };
    let help = if overloads.len() > MOST_OVERLOADS {
        message!(
            "only the first {} overloads of a name are compared with a signature",
            MOST_OVERLOADS
        )
    } else {
        "types, annotations and returns must equal those of the operator, in the order of \
                  the call; arguments that are not passed need a default"
            .into()
    };
    let diagnostic = Diagnostic::new(RuleId::DeprecatedNoMatch, form.call.at, message);
    report(catalogue, form, sink, diagnostic.with_help(help));
}

/// Records the signatures of a form for an operator. Returns whether one is a duplicate.
fn add<'a>(
    catalogue: &'a Catalogue,
    (index, form): (usize, &DeprecatedForm),
    id: OperatorId,
    all: &mut ByPlace<'a, Forms>,
) -> bool {
    let operator = catalogue.operator(id);
    let maker = FaceMaker::new(catalogue);
    let is_out = !operator.schema().arguments.out().is_empty();
    let mut is_repeated = false;
    for place in Place::of(operator) {
        let made = maker.deprecated_signature(operator, &form.schema, place.call());
        let Some(text) = made.and_then(|made| made.text_without_out().ok()) else {
            continue;
        };
        let forms = all.entry((place, operator.base_name())).or_default();
        if is_out {
            is_repeated |= forms.out.iter().any(|(known, _)| *known == text);
            forms.out.push((text, index));
        } else {
            is_repeated |= !forms.base.insert(text);
        }
    }
    is_repeated
}

fn repeated(catalogue: &Catalogue, form: &DeprecatedForm, id: OperatorId, sink: &mut Sink) {
    let name = catalogue.operator(id).qualified_name();
    let message = message!("`{}` has this deprecated signature already", name);
    let help = "keep one entry; if the call fits two overloads, write the types of one of them";
    let diagnostic = Diagnostic::new(RuleId::DeprecatedDuplicate, form.name_at, message);
    about(catalogue, id, sink, diagnostic.with_help(help));
}

fn out_alone(catalogue: &Catalogue, form: &DeprecatedForm, sink: &mut Sink) {
    if catalogue
        .native_functions
        .may_hide_overload(&form.call.name)
    {
        return;
    }
    let message = "no deprecated signature without `out` has the same arguments";
    let help = "add an entry with the same arguments, without `out`";
    let diagnostic = Diagnostic::new(RuleId::DeprecatedOutAlone, form.name_at, message);
    report(catalogue, form, sink, diagnostic.with_help(help));
}

fn report(catalogue: &Catalogue, form: &DeprecatedForm, sink: &mut Sink, diagnostic: Diagnostic) {
    match catalogue.overloads(&form.call.name).first() {
        Some(&id) => about(catalogue, id, sink, diagnostic),
        None => sink.file(DEPRECATED, diagnostic),
    }
}

fn about(catalogue: &Catalogue, id: OperatorId, sink: &mut Sink, diagnostic: Diagnostic) {
    let name = catalogue.operator(id).qualified_name();
    sink.about(DEPRECATED, name, diagnostic);
    if let Some(related) = declaration(catalogue, id) {
        sink.relate(related);
    }
}

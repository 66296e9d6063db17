//! Calls of `wrap_opt_if` in gradient formulas (torchgen `gen_variable_type.py`, `guard_for`).

use std::ops::Range;

use opatlas_operators::derivatives::expand::{Backward, Expansion};
use opatlas_operators::derivatives::text::{identifiers, uses};
use opatlas_schema::types::Type;
use opatlas_source::Message;
use opatlas_source::diagnostic::{Diagnostic, RuleId};

use super::subjects::Subjects;
use crate::sink::Sink;

const CALL: &str = "wrap_opt_if";

pub(super) fn check(subjects: &Subjects<'_>, expansion: &Expansion<'_>, sink: &mut Sink) {
    for backward in sink.while_wanted(&expansion.backward) {
        let text = backward.text;
        let fault = identifiers(text, CALL).find_map(|found| {
            let arguments = arguments(text, found.end)?;
            let whole = found.start..arguments.last()?.end;
            Some((whole, fault(subjects, expansion, backward, &arguments)?))
        });
        let Some((range, message)) = fault else {
            continue;
        };
        let at = match backward.source.formula {
            Some(scalar) => subjects.file.place(scalar, range),
            None => backward.source.value_at,
        };
        let diagnostic = Diagnostic::new(RuleId::DerivWrapOptIf, at, message)
            .with_help("write `wrap_opt_if(x, grad_input_mask[i])`");
        subjects.report(sink, diagnostic);
    }
}

fn fault(
    subjects: &Subjects<'_>,
    expansion: &Expansion<'_>,
    backward: &Backward<'_>,
    arguments: &[Range<usize>],
) -> Option<Message> {
    let [value, condition] = arguments else {
        return Some("`wrap_opt_if` takes a tensor and a condition".into());
    };
    let name = backward.text[value.clone()].trim();
    let has_parenthesis = backward.text[condition.clone()].contains('(');
    (has_parenthesis && is_guarded(subjects, expansion, backward, name)).then(|| {
        "torchgen copies the condition into an `if` and cuts it at its first `)`, so it cannot contain a call"
            .into()
    })
}

/// True if torchgen saves the tensor only under the condition: it does in the only formula that uses it, if
/// that formula is for several arguments and no differentiable argument is a list.
fn is_guarded(
    subjects: &Subjects<'_>,
    expansion: &Expansion<'_>,
    backward: &Backward<'_>,
    name: &str,
) -> bool {
    let schema = subjects.subject.schema;
    let is_list = |name: &str| {
        let mut all = schema.arguments.all().iter();
        all.any(|a| *a.name == *name && matches!(a.ty, Type::List(..)))
    };
    let mut arguments = schema.arguments.non_out().iter();
    let is_tensor = arguments.any(|a| *a.name == *name && a.ty.is_tensor());
    let users = expansion.backward.iter().filter(|b| uses(b.text, name));
    backward.names.len() > 1
        && is_tensor
        && users.count() == 1
        && !schema.name.base().contains("backward")
        && !expansion.differentiable().any(|a| is_list(&a.name))
}

/// The arguments of a call whose name ends at `from`.
fn arguments(text: &str, from: usize) -> Option<Vec<Range<usize>>> {
    let rest = text.get(from..)?;
    let open = from + rest.len() - rest.trim_start().len();
    text[open..].starts_with('(').then_some(())?;
    let (mut depth, mut start) = (0_usize, open + 1);
    let mut found = Vec::new();
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            found.push(start..at);
            return Some(found);
        }
    }
    None
}

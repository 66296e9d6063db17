//! Code lenses: the number of backends that run an operator, resolved when an editor shows the lens, and
//! the audiences that the uncommitted change breaks.

use lsp_types::{CodeLens, Command};
use serde_json::{Value, json};

use super::before::title as title_of_broken;
use super::hover::dense;
use super::workspace::{OpenFile, Role};
use opatlas_operators::operator::OperatorId;
use opatlas_source::Span;
use opatlas_verdict::training::Works;

pub(super) fn lenses(opened: OpenFile<'_>) -> Vec<CodeLens> {
    if opened.document.role != Role::Native {
        return Vec::new();
    }
    let operators = opened.snapshot.catalogue.iter();
    let of_operators = operators.filter_map(|(_, operator)| {
        let placed = operator.declared()?;
        let name = operator.qualified_name();
        Some(CodeLens {
            range: opened
                .document
                .text
                .range(placed.place(placed.entry.func_at)),
            command: None,
            data: Some(json!({"uri": opened.document.uri, "operator": name})),
        })
    });
    of_operators.chain(broken(opened)).collect()
}

fn broken(opened: OpenFile<'_>) -> Vec<CodeLens> {
    let Some(breaks) = opened.breaks() else {
        return Vec::new();
    };
    let text = &opened.document.text;
    let lens = |range, title| CodeLens {
        range,
        command: Some(Command {
            title,
            command: String::new(),
            arguments: None,
        }),
        data: None,
    };
    let removed = breaks.removal_title();
    let removed = removed.map(|title| lens(text.range(Span::new(0, 0)), title));
    let declared = breaks.by_operator.iter().filter_map(|(&id, &broken)| {
        let placed = opened.snapshot.catalogue.operator(id).declared()?;
        let range = text.range(placed.place(placed.entry.func_at));
        Some(lens(range, title_of_broken(broken)))
    });
    removed.into_iter().chain(declared).collect()
}

/// The title of a lens; `None` if its operator no longer exists.
pub(super) fn resolve(opened: OpenFile<'_>, data: &Value) -> Option<Command> {
    let name = data.get("operator")?.as_str()?;
    let id = opened.snapshot.catalogue.find_qualified(name)?;
    Some(Command {
        title: title(opened, id),
        command: String::new(),
        arguments: None,
    })
}

/// `works on 5 of 6 backends, trains on 2, unknown on 1`.
fn title(opened: OpenFile<'_>, id: OperatorId) -> String {
    let view = opened.snapshot.view();
    let claimed: Vec<_> = dense(view).filter(|&slot| view.claims(slot)).collect();
    let works: Vec<_> = claimed
        .iter()
        .copied()
        .filter(|&slot| view.verdict(id, slot).works())
        .collect();
    let trains = works.iter().filter(|&&slot| {
        let answer = view.training(id, slot);
        answer.is_some_and(|answer| answer.training.works == Works::Yes)
    });
    let of = claimed.len();
    let unknown = claimed
        .iter()
        .filter(|&&slot| view.verdict(id, slot).is_unknown());
    let unknown = match unknown.count() {
        0 => String::new(),
        all if all == of => return format!("unknown on {of} backends"),
        count => format!(", unknown on {count}"),
    };
    let title = match (works.len(), trains.count()) {
        (0, _) => format!("works on none of {of} backends"),
        (works, 0) => format!("works on {works} of {of} backends"),
        (works, trains) if works == trains => {
            format!("works on {works} of {of} backends, trains")
        }
        (works, trains) => format!("works on {works} of {of} backends, trains on {trains}"),
    };
    title + &unknown
}

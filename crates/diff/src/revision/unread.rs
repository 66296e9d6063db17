//! Entries that could not be read, so that a missing report is not mistaken for "no change".

use super::pairing::Pairing;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Message, Span};

opatlas_source::words! {
    /// A side with unread entries.
    pub enum UnreadSide {
        /// The base.
        Base = "base",
        /// The head.
        Head = "head",
    }
}

/// An entry that could not be read, or an operator of one side that an unread entry of the other
/// side may declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The side that could not be read.
    pub side: UnreadSide,
    /// The operator's name, if known.
    pub operator: Option<Box<str>>,
    /// The first diagnostic about it.
    pub message: Message,
    /// The position in that side's `native_functions.yaml`, in bytes.
    pub place: Option<Span>,
}

/// Lists unread entries, and removes operators from the pairing that may seem added or removed
/// only because the other side's entry is unread.
pub(super) fn take(pairing: &mut Pairing<'_>, base: &Catalogue, head: &Catalogue) -> Vec<Unread> {
    let mut unread = entries(base, UnreadSide::Base);
    unread.extend(entries(head, UnreadSide::Head));
    let mut undecided = |ids: &mut Vec<OperatorId>, own: &Catalogue, other: (&Catalogue, _)| {
        let (file, side) = (&other.0.native_functions, other.1);
        ids.retain(|id| {
            let operator = own.operator(*id);
            let name = match operator.generated_from() {
                Some(from) => own.operator(from).name(),
                None => operator.name(),
            };
            let may_hide = |name| file.may_hide(name) && !file.is_empty;
            if !may_hide(name.as_str()) && !may_hide(operator.name_text()) {
                return true;
            }
            // If the name is known, the entry itself is already listed.
            if !file.hides_entry(operator.name_text()) {
                unread.push(Unread {
                    side,
                    operator: Some(operator.qualified_name().into()),
                    message: "Opatlas could not parse a part of this file, which may contain it"
                        .into(),
                    place: None,
                });
            }
            false
        });
    };
    undecided(&mut pairing.removed, base, (head, UnreadSide::Head));
    undecided(&mut pairing.added, head, (base, UnreadSide::Base));
    unread
}

fn entries(catalogue: &Catalogue, side: UnreadSide) -> Vec<Unread> {
    let file = &catalogue.native_functions;
    let parts = file.diagnostics.iter().filter(|_| !file.is_empty);
    let parts = parts.map(|diagnostic| Unread {
        side,
        operator: None,
        message: diagnostic.message.clone(),
        place: Some(diagnostic.span),
    });
    let unread = file.entries.iter().filter(|one| one.entry.schema.is_none());
    let unread = unread.map(|placed| {
        let entry = &placed.entry;
        let first = entry.diagnostics.first();
        Unread {
            side,
            operator: entry.name.as_ref().map(|name| match &*entry.namespace {
                "aten" => name.as_str().into(),
                namespace => format!("{namespace}::{name}").into(),
            }),
            message: first.map_or_else(
                || "Opatlas could not parse its schema".into(),
                |diagnostic| diagnostic.message.clone(),
            ),
            place: Some(placed.place(first.map_or(entry.func_at, |d| d.span))),
        }
    });
    parts.chain(unread).collect()
}

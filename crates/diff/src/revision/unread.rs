//! Entries that could not be read, so that a missing report is not mistaken for "no change".

use rustc_hash::FxHashSet;

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
    let mut unread = Vec::new();
    let of_base = Hidden::new(base, UnreadSide::Base, &mut unread);
    let of_head = Hidden::new(head, UnreadSide::Head, &mut unread);
    let mut undecided = |ids: &mut Vec<OperatorId>, own: &Catalogue, other: &Hidden<'_>| {
        ids.retain(|id| {
            let operator = own.operator(*id);
            let name = match operator.generated_from() {
                Some(from) => own.operator(from).name(),
                None => operator.name(),
            };
            if !other.may_hide(name.as_str()) && !other.may_hide(operator.name_text()) {
                return true;
            }
            // If the name is known, the entry itself is already listed.
            if !other.names(operator.name_text()) {
                unread.push(Unread {
                    side: other.side,
                    operator: Some(operator.qualified_name().into()),
                    message: "Opatlas could not parse a part of this file, which may contain it"
                        .into(),
                    place: None,
                });
            }
            false
        });
    };
    undecided(&mut pairing.removed, base, &of_head);
    undecided(&mut pairing.added, head, &of_base);
    unread
}

struct Hidden<'a> {
    side: UnreadSide,
    names: FxHashSet<&'a str>,
    /// Whether an entry without a name is unread, which may be any operator.
    anything: bool,
}

impl<'a> Hidden<'a> {
    fn new(catalogue: &'a Catalogue, side: UnreadSide, unread: &mut Vec<Unread>) -> Self {
        let file = &catalogue.native_functions;
        for diagnostic in &file.diagnostics {
            unread.push(Unread {
                side,
                operator: None,
                message: diagnostic.message.clone(),
                place: Some(diagnostic.span),
            });
        }
        let mut hidden = Self {
            side,
            names: FxHashSet::default(),
            anything: !file.is_list || !file.diagnostics.is_empty(),
        };
        for placed in &file.entries {
            let entry = &placed.entry;
            if entry.schema.is_some() {
                continue;
            }
            let first = entry.diagnostics.first();
            unread.push(Unread {
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
            });
            match &entry.name {
                Some(name) => {
                    hidden.names.insert(name.as_str());
                }
                None => hidden.anything = true,
            }
        }
        hidden
    }

    fn names(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn may_hide(&self, name: &str) -> bool {
        self.anything || self.names(name)
    }
}

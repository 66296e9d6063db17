//! Variants of an operator that torchgen does not group, because their signatures differ.

use opatlas_operators::generate;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::variants::{Difference, differences, expected};
use opatlas_schema::function::SchemaKind;
use opatlas_schema::name::{NameForm, OperatorName};
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{Message, Span, message};

use super::{Elsewhere, Scope};

/// The maximum number of overloads that are compared with each other. Real operators have fewer.
pub(crate) const MOST_OVERLOADS: usize = 24;

/// A group without its generated members.
pub(crate) fn written(scope: &Scope<'_>, group: &Group) -> Group {
    let keep = |id: Option<OperatorId>| id.filter(|&id| !scope.operator(id).is_generated());
    Group {
        functional: keep(group.functional),
        inplace: keep(group.inplace),
        out: keep(group.out),
        mutable: keep(group.mutable),
        scratch: keep(group.scratch),
        duplicates: Vec::new(),
    }
}

/// The declared variants of a group, and the declared operator that should be in it, judging by its
/// name.
pub(crate) struct OutOfStep<'s, 'c> {
    scope: &'s Scope<'c>,
    variants: Vec<OperatorId>,
    reference: OperatorId,
}

impl<'s, 'c> OutOfStep<'s, 'c> {
    /// `None` if no operator outside the group has a name that belongs to it.
    pub(crate) fn find(scope: &'s Scope<'c>, group: &Group) -> Option<Self> {
        let group = written(scope, group);
        let variants: Vec<OperatorId> = group.members().collect();
        let names = variants.iter().flat_map(|id| names(scope.operator(*id)));
        let mut named = names.filter_map(|name| declared(scope, *variants.first()?, &name));
        let reference = named
            .find(|id| fits(scope, &group, *id))
            .or_else(|| nearest(scope, &group))?;
        Some(Self {
            scope,
            variants,
            reference,
        })
    }

    /// The operator outside the group.
    pub(crate) fn reference(&self) -> OperatorId {
        self.reference
    }

    /// What differs, as a clause.
    pub(crate) fn message(&self) -> Message {
        let names = self
            .variants
            .iter()
            .map(|id| self.scope.operator(*id).name());
        let names = Message::join(names.map(|name| Message::code(name.as_str())), " and ");
        let mut message = if self.variants.len() == 1 {
            Message::from("the signature of ")
        } else {
            Message::from("the signatures of ")
        };
        message.push(&names);
        message.push_str(if self.variants.len() == 1 {
            " differs"
        } else {
            " differ"
        });
        let reference = self.scope.operator(self.reference).name();
        message.push(&message!(" from that of `{}`: ", reference));
        let all = self.differences();
        message.push(&Message::join(all.iter().map(Difference::message), ", "));
        message
    }

    fn differences(&self) -> Vec<Difference> {
        let reference = self.scope.operator(self.reference).schema();
        let first = self.variants.first();
        first.map_or_else(Vec::new, |id| {
            differences(reference, self.scope.operator(*id).schema())
        })
    }

    /// Adds the schemas to write, with an edit if a single one is enough.
    pub(crate) fn explain(&self, diagnostic: Diagnostic, at: OperatorId) -> Diagnostic {
        let lists = self.lists();
        let diagnostic = diagnostic.with_help(self.help(&lists));
        let edit = match self.variants[..] {
            [only] if only == at && lists.is_empty() => self.edit(only),
            _ => None,
        };
        match edit {
            Some((at, schema)) => diagnostic.with_fix(at, schema),
            None => diagnostic,
        }
    }

    /// The reference, as a related place.
    pub(crate) fn elsewhere(&self) -> [Elsewhere; 1] {
        [(
            "its other variant is here",
            self.reference,
            self.scope.name_at(self.reference),
        )]
    }

    fn help(&self, lists: &[Message]) -> Message {
        let reference = self.scope.operator(self.reference).schema();
        let schemas: Option<Vec<Message>> = self
            .variants
            .iter()
            .map(|id| expected(reference, self.scope.operator(*id).schema()))
            .map(|schema| Some(Message::code(&schema?.to_string())))
            .collect();
        let Some(schemas) = schemas else {
            return "give all variants the same arguments, defaults and returns".into();
        };
        let mut help = Message::from("write ");
        help.push(&Message::join(schemas, " and "));
        if let Some(other) = self.instead() {
            help.push(&message!(
                ", or change `{}` instead: `{}`",
                reference.name,
                other
            ));
        }
        for list in lists {
            help.push_str("; also ");
            help.push(list);
        }
        help
    }

    /// The schema of the reference that fits the variants, unless the reference has variants of its
    /// own.
    fn instead(&self) -> Option<String> {
        let own = written(self.scope, self.scope.catalogue.groups.of(self.reference));
        let first = self.scope.operator(*self.variants.first()?).schema();
        let reference = self.scope.operator(self.reference).schema();
        let alone = own.members().count() == 1;
        let other = alone.then(|| expected(first, reference)).flatten()?;
        Some(other.to_string())
    }

    /// The `autogen` lists to change once all variants are in one group.
    fn lists(&self) -> Vec<Message> {
        let Some(group) = self.joined() else {
            return Vec::new();
        };
        let (operators, release) = (
            &self.scope.catalogue.operators,
            self.scope.catalogue.release,
        );
        let base = generate::base(&group, release);
        let listed = |id| -> Vec<&str> {
            let entry = self.scope.operator(id).declared();
            let names = entry.map_or(&[][..], |placed| &placed.entry.autogen);
            names.iter().map(|name| name.value.as_str()).collect()
        };
        let wants_out = group
            .members()
            .any(|id| listed(id).iter().any(|n| n.contains("out")));
        let generated = generate::lacking(operators, &group, release);
        let generated: Vec<&str> = generated.iter().map(OperatorName::as_str).collect();
        let generates = group.out.is_some() || wants_out;
        let generated = if generates { &generated[..] } else { &[] };
        let wrong = group.members().filter_map(|id| {
            let (listed, name) = (listed(id), self.scope.operator(id).name());
            let right = if Some(id) == base {
                listed == generated
            } else {
                listed.iter().all(|name| generated.contains(name))
            };
            if right {
                None
            } else if Some(id) == base && !generated.is_empty() {
                let names = generated.join(", ");
                Some(message!("write `autogen: {}` in `{}`", names, name))
            } else {
                Some(message!("remove `autogen` from `{}`", name))
            }
        });
        wrong.collect()
    }

    /// The group of all variants; `None` if torchgen would leave it alone or two are of one kind.
    fn joined(&self) -> Option<Group> {
        let catalogue = self.scope.catalogue;
        let mut group = written(self.scope, catalogue.groups.of(self.reference));
        for id in &self.variants {
            let place = match self.scope.operator(*id).kind {
                SchemaKind::Functional => &mut group.functional,
                SchemaKind::Inplace => &mut group.inplace,
                SchemaKind::Out => &mut group.out,
                SchemaKind::Mutable => &mut group.mutable,
                SchemaKind::Scratch => &mut group.scratch,
            };
            if place.replace(*id).is_some() {
                return None;
            }
        }
        let alone = generate::left_alone(&catalogue.operators, &group, catalogue.release);
        alone.is_none().then_some(group)
    }

    fn edit(&self, variant: OperatorId) -> Option<(Span, String)> {
        let operator = self.scope.operator(variant);
        let placed = operator.declared()?;
        let schema = operator.schema();
        let at = schema.name_at.0.to(schema.returns_at.0);
        let is_verbatim = at.slice(self.scope.text(placed)) == operator.canonical();
        let wanted = expected(self.scope.operator(self.reference).schema(), schema)?.to_string();
        // Other texts may need quotes in YAML.
        let is_plain = !wanted.contains(['\'', '"', '#', '\\']) && !wanted.contains(": ");
        (is_verbatim && is_plain).then_some((at, wanted))
    }
}

/// The names of the other variants of an operator, functional ones first.
fn names(operator: &Operator) -> Vec<OperatorName> {
    let name = operator.name();
    let overload = match operator.kind {
        SchemaKind::Out if name.overload() == "out" => "",
        SchemaKind::Out => match name.overload().strip_suffix("_out") {
            Some(overload) => overload,
            None => return Vec::new(),
        },
        _ => name.overload(),
    };
    let out = match overload {
        "" => "out".to_owned(),
        overload => format!("{overload}_out"),
    };
    let (plain, inplace) = if name.is_dunder() {
        (NameForm::Dunder, NameForm::DunderInplace)
    } else {
        (NameForm::Plain, NameForm::Inplace)
    };
    [
        (plain, overload),
        (NameForm::Functional, overload),
        (plain, &*out),
        (inplace, overload),
    ]
    .map(|(form, overload)| OperatorName::from_parts(name.stem(), form, overload))
    .into()
}

/// The declared operator with a name, in the namespace of another operator.
fn declared(scope: &Scope<'_>, beside: OperatorId, name: &OperatorName) -> Option<OperatorId> {
    let namespace = scope.operator(beside).namespace();
    let mut all = scope.catalogue.all_named(name.as_str());
    all.find(|id| {
        let operator = scope.operator(*id);
        operator.declared().is_some() && operator.namespace() == namespace
    })
}

/// Whether an operator of another group can be a variant of these, and has a different signature.
fn fits(scope: &Scope<'_>, group: &Group, id: OperatorId) -> bool {
    let operator = scope.operator(id);
    let own = written(scope, scope.catalogue.groups.of(id));
    let mut members = group.members();
    let is_free = group.member(operator.kind).is_none()
        && members.all(|member| own.member(scope.operator(member).kind).is_none());
    let first = group.members().next().map(|first| scope.operator(first));
    let differs = first.is_some_and(|first| {
        first.signature() != operator.signature()
            && !differences(operator.schema(), first.schema()).is_empty()
    });
    operator.kind != SchemaKind::Scratch && !operator.is_view && is_free && differs
}

/// For an out variant without a usual name: the one functional operator that differs least.
fn nearest(scope: &Scope<'_>, group: &Group) -> Option<OperatorId> {
    let out = group.out.filter(|_| group.members().count() == 1)?;
    let operator = scope.operator(out);
    let base = match operator.name().is_dunder() {
        true => OperatorName::from_parts(operator.name().stem(), NameForm::Dunder, ""),
        false => OperatorName::from_parts(operator.name().stem(), NameForm::Plain, ""),
    };
    let candidates = scope.catalogue.overloads(base.as_str());
    if candidates.len() > MOST_OVERLOADS {
        return None;
    }
    let functional = candidates.iter().copied().filter(|id| {
        let other = scope.operator(*id);
        other.kind == SchemaKind::Functional
            && other.declared().is_some()
            && other.namespace() == operator.namespace()
            && fits(scope, group, *id)
    });
    let count = |id: OperatorId| differences(scope.operator(id).schema(), operator.schema()).len();
    let mut ranked: Vec<(usize, OperatorId)> = functional.map(|id| (count(id), id)).collect();
    ranked.sort_unstable();
    match ranked[..] {
        [(_, only)] => Some(only),
        [(least, first), (next, _), ..] if least < next => Some(first),
        _ => None,
    }
}

//! Deprecated Python signatures that were added or removed (`deprecated.yaml`).

use std::collections::BTreeMap;

use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::FunctionSchema;

/// The bound deprecated signatures of a revision with the operators that they call, by what callers
/// see. Default values and annotations are left out.
type Signatures = BTreeMap<String, (OperatorId, String)>;

pub(super) fn compare(base: &Catalogue, head: &Catalogue, changes: &mut Vec<Change>) {
    if base.deprecated.is_none() || head.deprecated.is_none() {
        return;
    }
    let (old, new) = (signatures(base), signatures(head));
    for (_, (id, schema)) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
        let name = base.operator(*id).qualified_name();
        // Signatures of a removed operator are removed with it.
        if head.find_qualified(name).is_some() {
            let change = change(ChangeRuleId::DeprecatedSignatureRemoved, name, schema);
            changes.push(change.old(Fragment::of_field(schema.as_str(), None)));
        }
    }
    for (_, (id, schema)) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
        let name = head.operator(*id).qualified_name();
        if base.find_qualified(name).is_some() {
            let change = change(ChangeRuleId::DeprecatedSignatureAdded, name, schema);
            changes.push(change.new_side(Fragment::of_field(schema.as_str(), None)));
        }
    }
}

fn change(rule: ChangeRuleId, operator: &str, schema: &str) -> Change {
    Change::new(rule, operator, Subject::Names(vec![schema.into()]))
}

fn signatures(catalogue: &Catalogue) -> Signatures {
    let mut signatures = Signatures::new();
    let Some(file) = &catalogue.deprecated else {
        return signatures;
    };
    let matches = catalogue.deprecated_matches();
    for (index, form) in file.forms.iter().enumerate() {
        for &id in matches.of_form(index) {
            let called = catalogue.operator(id).base_name();
            let key = format!("{called} {}", seen_by_callers(&form.schema));
            let schema = form.schema.to_string();
            signatures.entry(key).or_insert((id, schema));
        }
    }
    signatures
}

fn seen_by_callers(schema: &FunctionSchema) -> String {
    let arguments = schema.arguments.all().iter().enumerate();
    let arguments = arguments.map(|(i, argument)| {
        let is_keyword_only = schema.arguments.is_keyword_only(i);
        let star = if is_keyword_only { "*" } else { "" };
        format!("{star}{} {}", argument.ty, argument.name)
    });
    let arguments: Vec<String> = arguments.collect();
    format!("{}({})", schema.name.base(), arguments.join(", "))
}

//! Deprecated Python signatures that came and went (`deprecated.yaml`).

use std::collections::BTreeMap;

use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::FunctionSchema;

/// The bound deprecated signatures of a revision: what tells them apart, and the operator that each
/// calls. Default values and annotations do not tell them apart, since Python callers see neither
/// of them go.
type Signatures = BTreeMap<String, (OperatorId, String)>;

/// Adds what changed. Without the file on both sides nothing is known of the other one.
pub(super) fn compare(base: &Catalogue, head: &Catalogue, changes: &mut Vec<Change>) {
    if base.deprecated.is_none() || head.deprecated.is_none() {
        return;
    }
    let (old, new) = (signatures(base), signatures(head));
    for (_, (id, schema)) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
        let name = base.operator(*id).qualified_name();
        // What calls a removed operator goes with it.
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

/// Name, types and names of arguments, and which of them are keyword-only.
fn seen_by_callers(schema: &FunctionSchema) -> String {
    let arguments = schema.arguments.all().iter().enumerate();
    let arguments = arguments.map(|(i, argument)| {
        let star = match schema.arguments.is_keyword_only(i) {
            true => "*",
            false => "",
        };
        format!("{star}{} {}", argument.ty, argument.name)
    });
    let arguments: Vec<String> = arguments.collect();
    format!("{}({})", schema.name.base(), arguments.join(", "))
}

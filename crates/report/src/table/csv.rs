//! Entries as CSV (RFC 4180), one per line.

use super::words::cause_sentence;
use crate::csv::{flag, line};
use opatlas_dispatch::Entry;
use opatlas_operators::operator::OperatorId;
use opatlas_verdict::{Answer, Because, KnownFrom, View};

/// The first line.
pub const CSV_HEADER: &str = "operator,key,functionality,backend,kernel,source_key,reason,origin,\
fallthrough,derivable,cause,file,support,needs,works,because,known_from,settled_by\r\n";

/// Appends an entry.
pub fn csv_row(out: &mut String, view: View<'_>, id: OperatorId, entry: &Entry<'_>) {
    let operator = view.inputs.catalogue.operator(id).qualified_name();
    let support = view.support_of(id, entry);
    let needs = view.needed(&support).collect::<Vec<_>>().join(" ");
    let known_from = view.known_from(id, entry, support.verdict);
    let cause = entry.cause.map(cause_sentence);
    let fields = [
        operator,
        entry.key,
        entry.functionality,
        entry.backend.unwrap_or_default(),
        entry.kernel.as_deref().unwrap_or_default(),
        entry.source_name(view.keys()).unwrap_or_default(),
        entry.reason.as_str(),
        entry.origin.map_or("", |origin| origin.as_str()),
        flag(entry.fallthrough),
        flag(entry.derivable),
        cause.as_deref().unwrap_or_default(),
        entry.file.unwrap_or_default(),
        support.verdict.as_str(),
        &needs,
        Answer::from(support.verdict).as_str(),
        support.because.map_or("", Because::as_str),
        known_from.map_or("", KnownFrom::as_str),
        support
            .because
            .and_then(Because::settled_by)
            .unwrap_or_default(),
    ];
    line(out, fields);
}

//! Lists of operators, and one operator with its place and group.

use std::collections::BTreeSet;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::SchemaKind;
use opatlas_source::NATIVE_FUNCTIONS;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::entry;
use crate::finding;
use crate::finding::Finding;
use crate::operator::{Operator, OperatorKind, operator};
use crate::paths::Generated;
use crate::problem::{Kind, Problem};
use crate::search::expect_few_words;
use opatlas_service::Snapshot;
use opatlas_service::search::Filter;

/// A filter of operators, and a page.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OperatorsQuery {
    /// Words that must all occur in the name or the schema; the best names come first. Names may be
    /// written as in C++ and Python. If nothing matches, similar names are returned.
    #[param(example = "add", max_length = 500)]
    pub q: Option<String>,
    /// Only this namespace.
    #[param(example = "aten")]
    pub namespace: Option<String>,
    /// Only the overloads of this name, which is the part before the dot.
    #[param(example = "add")]
    pub base_name: Option<String>,
    /// Only this kind.
    #[param(inline)]
    pub kind: Option<OperatorKind>,
    /// Only with this tag.
    #[param(example = "core")]
    pub tag: Option<String>,
    /// Only with a kernel declared on this dispatch key.
    #[param(example = "CPU")]
    pub key: Option<String>,
    /// Only those whose entry at the runtime key `key` has this reason.
    #[param(example = "missing")]
    pub reason: Option<String>,
    /// Only those with `structured: True`, or only those without.
    pub structured: Option<bool>,
    /// Whether to include generated operators; by default yes.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// Only with this `python_module`.
    #[param(example = "nn")]
    pub python_module: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl OperatorsQuery {
    /// The filter that the query asks for. Fails for `reason` without `key`, or too many words.
    pub fn filter(&self) -> Result<Filter, Problem> {
        if self.reason.is_some() && self.key.is_none() {
            let detail = "reason: also set `key`, the dispatch key whose entry has this reason";
            return Err(Problem::new(Kind::InvalidParameter, detail).about("reason"));
        }
        expect_few_words(self.q.as_deref().unwrap_or_default())?;
        Ok(Filter {
            words: self.q.clone(),
            namespace: self.namespace.clone(),
            base_name: self.base_name.clone(),
            kind: self.kind.map(SchemaKind::from),
            tag: self.tag.clone(),
            key: self.key.clone(),
            reason: self.reason.as_deref().map(entry::reason).transpose()?,
            structured: self.structured,
            generated: self.generated.map_or_else(Default::default, Into::into),
            python_module: self.python_module.clone(),
        })
    }
}

/// Rejects a tag that the revision neither declares nor uses, with [`Kind::UnknownValue`].
pub fn expect_tag(catalogue: &Catalogue, tag: Option<&str>) -> Result<(), Problem> {
    let Some(tag) = tag else {
        return Ok(());
    };
    let mut operators = catalogue.iter();
    if catalogue.tags.find(tag).is_some() || operators.any(|(_, operator)| operator.has_tag(tag)) {
        return Ok(());
    }
    let known = catalogue.tags.all().iter().map(|tag| &*tag.name);
    Err(Problem::unknown_value("tag", tag, known))
}

/// Rejects an unknown tag, namespace or `python_module` with [`Kind::UnknownValue`].
pub fn expect_values(catalogue: &Catalogue, filter: &Filter) -> Result<(), Problem> {
    expect_tag(catalogue, filter.tag.as_deref())?;
    let namespaces = || catalogue.iter().map(|(_, operator)| operator.namespace());
    expect("namespace", filter.namespace.as_deref(), namespaces)?;
    let modules = || {
        let entries = catalogue.iter().filter_map(|(id, _)| catalogue.entry(id));
        entries.filter_map(|placed| Some(&*placed.entry.python_module.as_ref()?.value))
    };
    expect("python_module", filter.python_module.as_deref(), modules)
}

fn expect<'a, I: Iterator<Item = &'a str>>(
    parameter: &str,
    value: Option<&str>,
    known: impl Fn() -> I,
) -> Result<(), Problem> {
    match value {
        Some(value) if !known().any(|known| known == value) => {
            let known: BTreeSet<&str> = known().collect();
            Err(Problem::unknown_value(parameter, value, known))
        }
        _ => Ok(()),
    }
}

/// A page of operators.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OperatorList)]
pub struct Operators<'a> {
    /// The operators.
    pub items: Vec<Operator<'a>>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// An operator with its complete declaration in a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorPage<'a> {
    /// The operator.
    #[serde(flatten)]
    pub operator: Operator<'a>,
    /// The lines of its entry; null for generated operators.
    pub source: Option<SourceLines<'a>>,
    /// The variants with its signature, including itself, by kind.
    pub group: Vec<GroupMember>,
    /// The findings in its entry.
    pub findings: Vec<Finding>,
}

/// Whole lines of a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceLines<'a> {
    /// The file.
    pub file: &'a str,
    /// The first line, 1-based.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The text, including line breaks.
    pub text: &'a str,
}

/// A variant of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupMember {
    /// The kind of variant.
    pub kind: OperatorKind,
    /// Its name.
    pub name: String,
}

/// The page of an operator.
#[must_use]
pub fn operator_page(snapshot: &Snapshot, id: OperatorId) -> OperatorPage<'_> {
    let catalogue = &snapshot.catalogue;
    let found = catalogue.operator(id);
    let name = found.qualified_name();
    let about = snapshot
        .listed()
        .filter(|finding| finding.operator.as_deref() == Some(&*name));
    let members = catalogue.groups.of(id).members();
    OperatorPage {
        operator: operator(snapshot, id),
        source: source_lines(snapshot, id),
        group: members
            .map(|member| catalogue.operator(member))
            .map(|member| GroupMember {
                kind: member.kind.into(),
                name: member.qualified_name().to_owned(),
            })
            .collect(),
        findings: about.map(|f| finding::one(snapshot, f)).collect(),
    }
}

pub(crate) fn source_lines(snapshot: &Snapshot, id: OperatorId) -> Option<SourceLines<'_>> {
    let operator = snapshot.catalogue.operator(id);
    let (file, at) = match (operator.declared(), operator.vendor()) {
        (Some(placed), _) => (NATIVE_FUNCTIONS, placed.place(placed.entry.span)),
        (None, Some(vendor)) => (&*vendor.file, vendor.at),
        (None, None) => return None,
    };
    let source = snapshot.source(file)?;
    let place = source.lines(at);
    let (line, mut end_line) = (place.start.line, place.end.line);
    if place.end.column == 1 && end_line > line {
        // It ends before the first character of its last line.
        end_line -= 1;
    }
    let span = source.line(line).to(source.line(end_line));
    Some(SourceLines {
        file,
        line,
        end_line,
        text: span.slice(&source.text),
    })
}

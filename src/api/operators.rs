//! The operators of a revision: the list, and one.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::search::{Filter, find};
use crate::service::{Resolved, Snapshot, ViewId};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::SchemaKind;
use opatlas_source::{NATIVE_FUNCTIONS, Stop};

use super::Api;
use super::entry;
use super::extract::{Path, Query};
use super::finding::{self, Finding};
use super::negotiate::{JSON, LIST, Media, Wishes};
use super::operator::{Operator, OperatorKind, operator};
use super::page::{self, Cursors};
use super::paths::{Generated, OperatorPath, ReleaseQuery, RevisionPath};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, Making, ViewRequest, json};
use super::stream;

/// Which operators, and which part of them.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OperatorsQuery {
    /// Words that must all occur in the name or the schema; best names first.
    #[param(example = "add")]
    pub q: Option<String>,
    /// Only this namespace.
    #[param(example = "aten")]
    pub namespace: Option<String>,
    /// Only this kind.
    #[param(inline)]
    pub kind: Option<OperatorKind>,
    /// Only with this tag.
    #[param(example = "core")]
    pub tag: Option<String>,
    /// Only with a kernel declared on this dispatch key.
    #[param(example = "CPU")]
    pub key: Option<String>,
    /// Only those whose entry at the runtime key `key` has this reason, whatever declares it.
    #[param(example = "missing")]
    pub reason: Option<String>,
    /// Only those with `structured: True`, or only those without.
    pub structured: Option<bool>,
    /// Whether generated operators are wanted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// Only with this `python_module`.
    #[param(example = "nn")]
    pub python_module: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl OperatorsQuery {
    fn filter(&self) -> Result<Filter, Problem> {
        if self.reason.is_some() && self.key.is_none() {
            let detail = "reason: say by `key` at which key the entry has it";
            return Err(Problem::new(Kind::InvalidParameter, detail).about("reason"));
        }
        Ok(Filter {
            words: self.q.clone(),
            namespace: self.namespace.clone(),
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

/// A page of operators.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OperatorList)]
pub struct Operators<'a> {
    /// The operators.
    pub items: Vec<Operator<'a>>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// An operator with everything that stands about it in its revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorPage<'a> {
    /// The operator.
    #[serde(flatten)]
    pub operator: Operator<'a>,
    /// The lines of its entry; null for generated ones.
    pub source: Option<SourceLines<'a>>,
    /// The variants that share its signature, itself included, by kind.
    pub group: Vec<GroupMember>,
    /// What the rules find in its entry.
    pub findings: Vec<Finding>,
}

/// Lines of a file, whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceLines<'a> {
    /// The file.
    pub file: &'static str,
    /// The first line, 1-based.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The text, line breaks included.
    pub text: &'a str,
}

/// A variant of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupMember {
    /// What kind of variant.
    pub kind: OperatorKind,
    /// Its name.
    pub name: String,
}

/// Operators
///
/// All operators of a revision, written ones in the order of the file and then generated ones, or
/// those that the filters leave. With `Accept: application/x-ndjson` all of them, one a line.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators",
    tag = "operators",
    operation_id = "list_operators",
    params(RevisionPath, OperatorsQuery),
    responses(
        (status = 200, description = "A page of operators; or all, one a line", content(
            (Operators = "application/json"),
            (Operator = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or dispatch key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<OperatorsQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(LIST)?;
    let limit = page::limit(query.limit)? as usize;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let filter = query.filter()?;
    if media == Media::NdJson {
        return lines(&api, &wishes, &revision, filter).await;
    }
    let list = ViewId::new(&revision, "operators", &filter, "");
    let cursors = Cursors::of(list);
    let from = match &query.cursor {
        Some(cursor) => cursors.decode_number(cursor)?,
        None => 0_usize,
    };
    let request = ViewRequest {
        revision: &revision,
        view: "operators",
        parameters: (filter.clone(), limit, from),
        media,
        making: Making::Large,
    };
    respond::view(&api, &wishes, request, move |snapshot, stop| {
        filter.check(&snapshot.catalogue)?;
        let found = find(snapshot, &filter, stop)?;
        let next = from.saturating_add(limit);
        let range = from.min(found.len())..next.min(found.len());
        let next_cursor = (next < found.len()).then(|| cursors.encode(&next.to_string()));
        let items = found[range].iter().map(|&id| operator(snapshot, id));
        Ok(json(&Operators {
            items: items.collect(),
            next_cursor,
        }))
    })
    .await
}

/// All of them as lines, made while they are sent.
async fn lines(
    api: &Api,
    wishes: &Wishes,
    revision: &Resolved,
    filter: Filter,
) -> Result<Response, Problem> {
    let media = Media::NdJson;
    let id = ViewId::new(revision, "operators", &filter, media.as_str());
    if let Some(response) = respond::not_modified(wishes, id) {
        return Ok(response);
    }
    let snapshot = api.service.snapshot(revision).await?;
    filter.check(&snapshot.catalogue)?;
    let found = {
        let snapshot = Arc::clone(&snapshot);
        let found = move |stop: &Stop| find(&snapshot, &filter, stop);
        api.service.compute(found).await?
    };
    let count = found.len();
    let make = move |range: Range<usize>| {
        let mut text = Vec::with_capacity(range.len() * 2048);
        for &id in &found[range] {
            stream::push_line(&mut text, &operator(&snapshot, id));
        }
        text
    };
    Ok(stream::lines(id, count, make))
}

/// An operator
///
/// All there is to know about an operator's declaration: its schema, its kernels, its tags, where
/// it stands, its lines, and what the rules find in it.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}",
    tag = "operators",
    operation_id = "get_operator",
    params(OperatorPath, ReleaseQuery),
    responses(
        (status = 200, description = "The operator", body = OperatorPage),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(query): Query<ReleaseQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let name = path.operator;
    let request = ViewRequest {
        revision: &revision,
        view: "operator",
        parameters: name.clone(),
        media,
        making: Making::Checked,
    };
    let asked = revision.clone();
    respond::view(&api, &wishes, request, move |snapshot, _| {
        let id = snapshot.find(&asked, &name)?;
        Ok(json(&operator_page(snapshot, id)))
    })
    .await
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
                name: member.qualified_name(),
            })
            .collect(),
        findings: about.map(|f| finding::one(snapshot, f)).collect(),
    }
}

fn source_lines(snapshot: &Snapshot, id: OperatorId) -> Option<SourceLines<'_>> {
    let placed = snapshot.catalogue.operator(id).written()?;
    let source = snapshot.source(NATIVE_FUNCTIONS)?;
    let place = source.lines(placed.place(placed.entry.span));
    let (line, mut end_line) = (place.start.line, place.end.line);
    if place.end.column == 1 && end_line > line {
        // It ends before the first character of its last line.
        end_line -= 1;
    }
    let span = source.line(line).to(source.line(end_line));
    Some(SourceLines {
        file: NATIVE_FUNCTIONS,
        line,
        end_line,
        text: span.slice(&source.text),
    })
}

//! The findings of a stored revision.

use axum::extract::State;
use axum::response::Response;
use opatlas_rules::registry;
use opatlas_source::diagnostic;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, Media};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::renderings;
use crate::http::renderings::FINDINGS_LIST;
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::stream;
use opatlas_service::{Snapshot, ViewId};
use opatlas_wire::finding;
use opatlas_wire::finding::{Finding, Severity};
use opatlas_wire::findings::{FindingList, FindingsQuery};
use opatlas_wire::json::json;
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

#[derive(Debug, Clone, Hash)]
struct Filter {
    severity: Option<Severity>,
    rule: Option<String>,
    operator: Option<String>,
}

impl Filter {
    fn fits(&self, finding: &diagnostic::Finding) -> bool {
        let operator = self
            .operator
            .as_deref()
            .map(|name| name.strip_prefix("aten::").unwrap_or(name));
        self.severity
            .is_none_or(|severity| severity == finding.severity.into())
            && self.rule.as_deref().is_none_or(|rule| finding.rule == rule)
            && operator.is_none_or(|name| finding.operator.as_deref() == Some(name))
    }

    fn choose<'s>(&self, snapshot: &'s Snapshot) -> impl Iterator<Item = &'s diagnostic::Finding> {
        snapshot.listed().filter(|finding| self.fits(finding))
    }

    /// The omitted findings of this severity and rule. Their operators are unknown.
    fn omitted(&self, snapshot: &Snapshot) -> Vec<opatlas_rules::Omitted> {
        let all = snapshot.findings().omitted().iter().copied();
        all.filter(|omitted| {
            self.severity.is_none_or(|s| s == omitted.severity.into())
                && self
                    .rule
                    .as_deref()
                    .is_none_or(|rule| rule == omitted.rule.as_str())
        })
        .collect()
    }
}

/// Findings
///
/// The findings of the release's rules in the revision, by file and position. `Accept` selects
/// SARIF, Markdown or annotated text; these formats, and JSON lines, contain all findings unless there
/// is a `limit`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/findings",
    tag = "findings",
    operation_id = "list_findings",
    params(RevisionPath, FindingsQuery),
    responses(
        (status = 200, description = "A page of findings; or all of them in another format", content(
            (FindingList = "application/json"),
            (Finding = "application/x-ndjson"),
            (serde_json::Value = "application/sarif+json"),
            (String = "text/markdown"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or rule", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<FindingsQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FINDINGS_LIST)?;
    page::limit(query.limit)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    if let Some(rule) = query.rule.as_deref()
        && registry::find(rule).is_none()
    {
        let known = registry::all().map(|rule| rule.id.as_str());
        return Err(Problem::unknown_value("rule", rule, known));
    }
    let filter = Filter {
        severity: query.severity,
        rule: query.rule,
        operator: query.operator,
    };
    let cursors = Cursors::of(ViewId::new(&revision, "findings", &filter, ""));
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, cursors, asked)?;
    let request = ViewRequest {
        revision: &revision,
        view: "findings",
        parameters: (filter.clone(), window.place()),
        media,
        making: Making::Checked,
        effort: Effort::Much,
    };
    respond::page(&api, &accept, request, move |snapshot, stop| {
        let chosen: Vec<_> = filter.choose(snapshot).collect();
        let next_cursor = window.next(chosen.len());
        let chosen = chosen[window.within(chosen.len())].iter().copied();
        let omitted = filter.omitted(snapshot);
        let one = |found| finding::one(snapshot, found);
        let text = match media {
            Media::Json => json(&FindingList {
                items: chosen.map(one).collect(),
                omitted: omitted.into_iter().map(Into::into).collect(),
                next_cursor: next_cursor.clone(),
            }),
            Media::NdJson => stream::lines(&chosen.map(one).collect::<Vec<_>>()),
            _ => renderings::report(snapshot, chosen, &omitted, media, stop).unwrap_or_default(),
        };
        Ok((text, next_cursor))
    })
    .await
}

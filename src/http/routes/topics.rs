//! Topics: explanations of keys, fields, types and annotations.

use axum::extract::State;
use axum::response::Response;
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest_few;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::page;
use crate::http::respond;
use crate::http::routes::stateless::judged;
use opatlas_wire::json::json;
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::ReleaseQuery;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::topics::{Topic, TopicKind, TopicList, TopicPath, TopicsQuery, item, topic};

/// Topics
///
/// Explanations of dispatch keys, alias keys, fields of an entry, types and annotations, and guides to
/// concepts.
#[utoipa::path(
    get,
    path = "/v1/topics",
    tag = "knowledge",
    operation_id = "list_topics",
    params(TopicsQuery),
    responses((status = 200, description = "The topics", body = TopicList)),
)]
pub async fn list(
    State(api): State<Api>,
    Query(query): Query<TopicsQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let topics = opatlas_topics::all();
    let wanted = |kind| {
        query
            .kind
            .is_none_or(|wanted| wanted == TopicKind::from(kind))
    };
    let chosen: Vec<_> = topics.into_iter().filter(|one| wanted(one.kind)).collect();
    let part = PageQuery {
        limit: query.limit,
        cursor: query.cursor.clone(),
    };
    let (items, next_cursor) = page::cut("topics", &query.kind, &chosen, &part)?;
    let next = next_cursor.clone();
    let make = || {
        Ok(json(&TopicList {
            items: items.iter().map(item).collect(),
            next_cursor: next,
        }))
    };
    let view = ("topics", &query);
    let mut response = respond::program_view(&api, &accept, view, media, make).await?;
    page::mark(&mut response, next_cursor);
    Ok(response)
}

/// A topic
///
/// The topic of a dispatch key, a field, a type, an annotation or a guide. The guide
/// `dispatch-keyword` asks about a kernel and ends in an entry and its dispatch table in the release.
#[utoipa::path(
    get,
    path = "/v1/topics/{topic}",
    tag = "knowledge",
    operation_id = "get_topic",
    params(TopicPath, ReleaseQuery),
    responses(
        (status = 200, description = "The topic", body = Topic),
        (status = 404, description = "No such topic", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<TopicPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let release = match &query.release {
        Some(text) => judged(Some(text))?.release,
        None => Release::LATEST,
    };
    let Some(found) = opatlas_topics::find(&path.topic) else {
        return Err(unknown(&path.topic));
    };
    let make = || Ok(json(&topic(&found, release)));
    respond::program_view(
        &api,
        &accept,
        ("topic", (found.id.as_ref(), release.as_str())),
        media,
        make,
    )
    .await
}

fn unknown(name: &str) -> Problem {
    let topics = opatlas_topics::all();
    let near = nearest_few(name, topics.iter().map(|topic| &*topic.id), 3)
        .into_iter()
        .map(Into::into)
        .collect();
    let shown: String = name.chars().take(128).collect();
    Problem::new(Kind::UnknownTopic, format!("there is no topic `{shown}`")).suggesting(near)
}

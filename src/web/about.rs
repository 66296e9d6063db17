//! What a link to a page says: its title, a sentence and a picture. A page asks the HTTP API without a
//! token, so it reveals what anybody may read, and exists if the API has what it shows.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::own_path::{encoded, path};
use crate::web::address::{At, Page, Part};

/// The most of an answer that is read, in bytes: a dispatch table takes a tenth of it.
const MOST_READ: usize = 1 << 20;

const GENERAL: &str = "Which PyTorch operators run where, and what breaks.";

/// What a link to a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The title, without the name of the program.
    pub title: String,
    /// A sentence.
    pub text: String,
    /// The path of a picture.
    pub image: Option<String>,
    /// Whether the API has what the page shows. A page that nobody may see without a token counts as
    /// existing.
    pub exists: bool,
}

impl About {
    fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            text: GENERAL.to_owned(),
            image: None,
            exists: true,
        }
    }

    /// What a link to a page that nobody has says.
    #[must_use]
    pub fn missing() -> Self {
        Self {
            exists: false,
            ..Self::new("Not found")
        }
    }

    /// What a link to this page says.
    pub async fn page(api: &Router, page: &Page) -> Self {
        match page {
            Page::Program(title) => Self::new(*title),
            Page::Rule(rule) => Self::told(api, rule, path(&["v1", "rules", rule]), "what").await,
            Page::Topic(topic) => {
                Self::told(api, topic, path(&["v1", "topics", topic]), "summary").await
            }
            Page::Project(project, title) => {
                let address = path(&["v1", "projects", project]);
                Self::told(api, &joined(title, project), address, "description").await
            }
            Page::History(project, operator) => {
                let address = path(&["v1", "projects", project, "operators", operator, "history"]);
                let about = Self::new(format!("History of {operator} · {project}"));
                about.only_if(api, &address).await
            }
            Page::ProbeRun(project, run) => {
                let address = path(&["v1", "projects", project, "probe", "runs", run]);
                let about = Self::new(format!("Probe run {run} · {project}"));
                about.only_if(api, &address).await
            }
            Page::Comparison(project, range) => comparison(api, project, range).await,
            Page::Revision(at, part) => of_revision(api, at, part).await,
        }
    }

    /// With the text that a member of the API's answer has.
    async fn told(api: &Router, title: &str, address: String, member: &str) -> Self {
        let mut about = Self::new(title);
        match ask(api, &address).await {
            Answer::Missing => return Self::missing(),
            Answer::Json(json) => {
                if let Some(text) = json[member].as_str() {
                    about.text = text.replace('`', "");
                }
            }
            Answer::Closed => {}
        }
        about
    }

    async fn only_if(self, api: &Router, address: &str) -> Self {
        match ask(api, address).await {
            Answer::Missing => Self::missing(),
            Answer::Json(_) | Answer::Closed => self,
        }
    }
}

async fn comparison(api: &Router, project: &str, range: &str) -> About {
    let shown = range.replacen("...", " to ", 1);
    let mut about = About::new(format!("{shown} · {project}"));
    let address = path(&["v1", "projects", project, "compare", range]);
    match answered(api, &address, "text/markdown").await {
        (StatusCode::NOT_FOUND, _) => return About::missing(),
        (StatusCode::OK, text) => {
            let first = text.lines().next().unwrap_or_default();
            about.text = first
                .trim_start_matches('#')
                .replace(['*', '`'], "")
                .trim()
                .to_owned();
        }
        _ => {}
    }
    about
}

async fn of_revision(api: &Router, at: &At, part: &Part) -> About {
    let base = path(&["v1", "projects", &at.project, "revisions", &at.revision]);
    let place = format!("{} {}", at.project, shortened(&at.revision));
    let title = |view: &str| joined(view, &place);
    match part {
        Part::Whole(view) => About::new(title(view)).only_if(api, &base).await,
        Part::Name(name) => {
            let address = format!("{base}/operators?limit=1&base_name={}", encoded(name));
            match ask(api, &address).await {
                Answer::Json(json) if is_empty(&json) => About::missing(),
                Answer::Missing => About::missing(),
                Answer::Json(_) | Answer::Closed => About::new(title(name)),
            }
        }
        Part::File(file) => match ask(api, &base).await {
            Answer::Json(json) if !has_file(&json, file) => About::missing(),
            Answer::Missing => About::missing(),
            Answer::Json(_) | Answer::Closed => About::new(title(file)),
        },
        Part::Key(key, tab) => {
            let badge = |form| {
                let name = format!("{key}.{form}");
                let badge = path(&["v1", "projects", &at.project, "badges", &name]);
                format!("{badge}?revision={}", encoded(&at.revision))
            };
            let title = title(joined(tab, key).trim());
            let mut about = About::new(title);
            match ask(api, &badge("json")).await {
                Answer::Missing => return About::missing(),
                Answer::Json(json) => {
                    let word = |member: &str| json[member].as_str().unwrap_or_default().to_owned();
                    about.text = format!("{}: {}.", capital(&word("label")), word("message"));
                    about.image = Some(badge("svg"));
                }
                Answer::Closed => {}
            }
            about
        }
        Part::Operator(operator) => {
            let address = format!("{base}{}", path(&["operators", operator]));
            match ask(api, &format!("{address}/dispatch")).await {
                Answer::Missing => elsewhere(api, at, operator, &base).await,
                Answer::Closed => About::new(title(operator)),
                Answer::Json(json) => About {
                    text: format!(
                        "{operator}: {}",
                        json["summary"].as_str().unwrap_or_default()
                    ),
                    image: Some(format!("{address}/card")),
                    ..About::new(title(operator))
                },
            }
        }
    }
}

/// An operator that the revision does not have: a name with overloads, or one that another revision of
/// the project has.
async fn elsewhere(api: &Router, at: &At, operator: &str, base: &str) -> About {
    let about = About::new(format!("{operator} · {}", at.project));
    let overloads = format!("{base}/operators?limit=1&base_name={}", encoded(operator));
    match ask(api, &overloads).await {
        Answer::Json(json) if !is_empty(&json) => about,
        Answer::Json(_) => {
            let history = [
                "v1",
                "projects",
                &at.project,
                "operators",
                operator,
                "history",
            ];
            about.only_if(api, &path(&history)).await
        }
        Answer::Missing => About::missing(),
        Answer::Closed => about,
    }
}

enum Answer {
    Json(Value),
    /// The API does not have it.
    Missing,
    /// Not for callers without a token, or not now.
    Closed,
}

async fn ask(api: &Router, address: &str) -> Answer {
    match answered(api, address, "application/json").await {
        (status, _) if is_missing(status) => Answer::Missing,
        (StatusCode::OK, text) => serde_json::from_str(&text).map_or(Answer::Closed, Answer::Json),
        _ => Answer::Closed,
    }
}

/// Names that no project, label or key can have are missing too.
fn is_missing(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY
    )
}

async fn answered(api: &Router, address: &str, accept: &str) -> (StatusCode, String) {
    let request = Request::get(address).header(header::ACCEPT, accept);
    let Ok(request) = request.body(Body::empty()) else {
        return (StatusCode::NOT_FOUND, String::new());
    };
    let Ok(response) = api.clone().oneshot(request).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), MOST_READ).await;
    let text = body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (status, text.unwrap_or_default())
}

fn is_empty(page: &Value) -> bool {
    page["items"].as_array().is_none_or(Vec::is_empty)
}

fn has_file(revision: &Value, name: &str) -> bool {
    let mut files = revision["files"].as_array().into_iter().flatten();
    files.any(|file| file["name"] == name)
}

fn joined(view: &str, of: &str) -> String {
    let parts = [view, of].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// A digest is cut to what people recognize it by.
fn shortened(revision: &str) -> &str {
    match revision.strip_prefix("sha256:") {
        Some(digest) => digest.get(..12).unwrap_or(digest),
        None => revision,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

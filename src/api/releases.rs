//! The releases of PyTorch that are known.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;

use super::Api;
use super::extract::{Path, Query};
use super::negotiate::{JSON, Wishes};
use super::page::{self, PageQuery};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::stateless::judged;

/// A release's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ReleasePath {
    /// The release, `2.9`; `2.9.1` and `v2.9` mean the same.
    #[param(example = "2.9")]
    pub release: String,
}

/// A release in the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseItem {
    /// Its name.
    #[schema(example = "2.9")]
    pub name: &'static str,
    /// The patch releases that its facts were checked against.
    pub patches: Vec<&'static str>,
    /// The patch releases whose real dispatcher was recorded: their hand-written registrations are
    /// known.
    pub recorded: Vec<&'static str>,
    /// Whether it is the newest known one, which is the default.
    pub newest: bool,
}

/// What there is to know of a release.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseDetail {
    /// What the list has of it.
    #[serde(flatten)]
    pub item: ReleaseItem,
    /// The base types that a schema may use.
    pub base_types: Vec<&'static str>,
    /// The keys that `dispatch:` may have.
    pub dispatch_keys: Vec<&'static str>,
    /// The tags of its own `tags.yaml`.
    pub tags: Vec<&'static str>,
    /// The keys of the runtime, in table order.
    pub keys: Vec<RuntimeKey>,
    /// The keys that stand for several.
    pub alias_keys: Vec<AliasKey>,
}

/// A key of the runtime.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuntimeKey {
    /// Its name.
    #[schema(example = "SparseCPU")]
    pub name: &'static str,
    /// What it is for.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, where it is one of several.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// Whether a registration can name it.
    pub registrable: bool,
    /// The kernel that serves it for all operators, where there is one.
    pub fallback: Option<Fallback>,
}

/// A kernel that serves a key whatever the operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fallback {
    /// The source file that registers it.
    pub file: Option<&'static str>,
    /// Whether it only passes the call on to the next key.
    pub fallthrough: bool,
}

/// A key that stands for several.
#[derive(Debug, Serialize, ToSchema)]
pub struct AliasKey {
    /// Its name.
    #[schema(example = "CompositeImplicitAutograd")]
    pub name: &'static str,
    /// The runtime keys that it reaches, in table order.
    pub keys: Vec<&'static str>,
}

/// A page of releases.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseList {
    /// The releases, oldest first.
    pub items: Vec<ReleaseItem>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// Releases
///
/// The releases of PyTorch whose rules, keys and lists are known, oldest first.
#[utoipa::path(
    get,
    path = "/v1/releases",
    tag = "knowledge",
    operation_id = "list_releases",
    params(PageQuery),
    responses((status = 200, description = "The releases", body = ReleaseList)),
)]
pub async fn list(
    State(api): State<Api>,
    Query(query): Query<PageQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let all: Vec<_> = Release::all().collect();
    let (items, next_cursor) = page::cut("releases", &(), &all, &query)?;
    let make = || {
        Ok(json(&ReleaseList {
            items: items.iter().copied().map(item).collect(),
            next_cursor,
        }))
    };
    respond::program_view(&api, &wishes, ("releases", &query), media, make).await
}

/// A release
///
/// Its keys and alias sets, the keys allowed in `dispatch:`, its types and tags.
#[utoipa::path(
    get,
    path = "/v1/releases/{release}",
    tag = "knowledge",
    operation_id = "get_release",
    params(ReleasePath),
    responses(
        (status = 200, description = "The release", body = ReleaseDetail),
        (status = 404, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<ReleasePath>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let judged = judged(Some(&path.release));
    // Here the release is what is asked for, and not what something else is judged by.
    let release = match judged {
        Ok(judged) if judged.newer.is_none() => judged.release,
        Ok(judged) => {
            let detail = format!(
                "PyTorch {} is newer than all that are known",
                judged.stored()
            );
            return Err(Problem::new(Kind::NoRelease, detail));
        }
        Err(mut unknown) => {
            unknown.kind = Kind::NoRelease;
            return Err(unknown);
        }
    };
    let make = || Ok(json(&detail(release)));
    respond::program_view(&api, &wishes, ("release", release), media, make).await
}

fn item(release: Release) -> ReleaseItem {
    let data = release.data();
    ReleaseItem {
        name: release.as_str(),
        patches: data.patches.to_vec(),
        recorded: data.measured.to_vec(),
        newest: release == Release::LATEST,
    }
}

fn detail(release: Release) -> ReleaseDetail {
    let data = release.data();
    let keys = Keys::of(release);
    let alias = |alias: Alias| AliasKey {
        name: alias.name(),
        keys: keys
            .reach(alias)
            .iter()
            .map(|slot| keys.name(Key::Runtime(slot)))
            .collect(),
    };
    ReleaseDetail {
        item: item(release),
        base_types: data.base_types.as_slice().to_vec(),
        dispatch_keys: data.dispatch_keys_allowed.as_slice().to_vec(),
        tags: data.tags.as_slice().to_vec(),
        keys: keys.slots().map(|slot| runtime_key(keys, slot)).collect(),
        alias_keys: Alias::ALL.map(alias).into(),
    }
}

fn runtime_key(keys: &Keys, slot: Slot) -> RuntimeKey {
    RuntimeKey {
        name: keys.name(Key::Runtime(slot)),
        functionality: keys.functionality(slot),
        backend: keys.backend(slot),
        registrable: keys.is_parseable(slot),
        fallback: keys.fallbacks().contains(slot).then(|| Fallback {
            file: keys.fallback_file(slot),
            fallthrough: keys.fallthrough_fallbacks().contains(slot),
        }),
    }
}

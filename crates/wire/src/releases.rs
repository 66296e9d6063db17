//! Releases of PyTorch as JSON.

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

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
    /// The patch releases used to verify its data.
    pub patches: Vec<&'static str>,
    /// The patch releases with a recording of the real dispatcher: their hand-written registrations
    /// are known.
    pub recorded: Vec<&'static str>,
    /// Whether it is the newest known one, which is the default.
    pub newest: bool,
}

/// A release in detail.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseDetail {
    /// Its members in the list.
    #[serde(flatten)]
    pub item: ReleaseItem,
    /// The base types that a schema may use.
    pub base_types: Vec<&'static str>,
    /// The keys that `dispatch:` allows.
    pub dispatch_keys: Vec<&'static str>,
    /// The tags of its own `tags.yaml`.
    pub tags: Vec<&'static str>,
    /// The keys of the runtime, in table order.
    pub keys: Vec<RuntimeKey>,
    /// The alias keys.
    pub alias_keys: Vec<AliasKey>,
}

/// A key of the runtime.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuntimeKey {
    /// Its name.
    #[schema(example = "SparseCPU")]
    pub name: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, if the functionality has several.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// Whether a registration can name it.
    pub registrable: bool,
    /// The backend fallback, if there is one.
    pub fallback: Option<Fallback>,
}

/// A backend fallback: a kernel for all operators of a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fallback {
    /// The source file that registers it.
    pub file: Option<&'static str>,
    /// Whether it is a fallthrough.
    pub fallthrough: bool,
}

/// An alias key.
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
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// A release in a list.
pub fn item(release: Release) -> ReleaseItem {
    let data = release.data();
    ReleaseItem {
        name: release.as_str(),
        patches: data.patches.to_vec(),
        recorded: data.measured.to_vec(),
        newest: release == Release::LATEST,
    }
}

/// A release with its keys, alias sets, types and tags.
pub fn detail(release: Release) -> ReleaseDetail {
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
        base_types: data.base_types.iter().collect(),
        dispatch_keys: data.dispatch_keys_allowed.iter().collect(),
        tags: data.tags.iter().collect(),
        keys: keys.slots().map(|slot| runtime_key(keys, slot)).collect(),
        alias_keys: Alias::ALL.map(alias).into(),
    }
}

pub(crate) fn runtime_key(keys: &Keys, slot: Slot) -> RuntimeKey {
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

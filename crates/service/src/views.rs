//! Finished answers, cached as bytes, plain and compressed. A digest of everything that a view
//! depends on identifies it before it is computed, and is also its ETag, so views are never stale.

use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use moka::future::Cache;
use sha2::{Digest as _, Sha256};

use super::address::Resolved;
use super::answers::Answers;
use super::packing::{gzip, zstd};
use super::{ENGINE_VERSION, Service, ServiceError};
use opatlas_source::Digest;

/// A digest of everything that a view depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewId([u8; 16]);

/// A finished answer.
#[derive(Debug)]
pub struct View {
    plain: Bytes,
    further: Vec<Bytes>,
    gzip: OnceLock<Bytes>,
    zstd: OnceLock<Bytes>,
}

/// The content encoding of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Not compressed.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// Smaller answers fit into one packet and are not compressed.
const COMPRESSED_FROM: usize = 1 << 10;
/// Larger answers are compressed off the async threads. The table of an operator has 60 KB.
const COMPRESSED_APART_FROM: usize = 96 << 10;
/// Larger answers are hashed off the async threads.
const HASHED_APART_FROM: usize = 256 << 10;

impl ViewId {
    /// The id of a view of a revision, from its name, parameters and media type.
    #[must_use]
    pub fn new(revision: &Resolved, view: &str, parameters: &impl Hash, media: &str) -> Self {
        let (digest, judged) = (revision.digest, &revision.judged);
        Self::of(&(ENGINE_VERSION, digest, judged, view, media, parameters))
    }

    /// The id of an answer that depends only on the program.
    #[must_use]
    pub fn of_program(view: &str, parameters: &impl Hash) -> Self {
        Self::of(&(ENGINE_VERSION, view, parameters))
    }

    /// The id of a file of a revision, which does not depend on the program.
    #[must_use]
    pub fn of_file(revision: Digest, name: &str) -> Self {
        Self::of(&("file", revision, name))
    }

    /// The id of an answer with these bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_digest(Sha256::digest(bytes).into())
    }

    /// The first four bytes, which identify the list of a cursor.
    #[must_use]
    pub fn mark(self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_be_bytes([a, b, c, d])
    }

    fn of(parts: &impl Hash) -> Self {
        let mut hasher = Sha256Hasher(Sha256::new());
        parts.hash(&mut hasher);
        Self::of_digest(hasher.0.finalize().into())
    }

    fn of_digest(digest: [u8; 32]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        Self(id)
    }
}

impl fmt::Display for ViewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes ids of types that implement [`Hash`], long enough for an ETag.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest: [u8; 32] = self.0.clone().finalize().into();
        digest
            .iter()
            .take(8)
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    }
}

impl View {
    /// An answer in one part.
    #[must_use]
    pub fn new(plain: Bytes) -> Self {
        Self {
            plain,
            further: Vec::new(),
            gzip: OnceLock::new(),
            zstd: OnceLock::new(),
        }
    }

    /// An answer in several parts, which are sent one at a time.
    #[must_use]
    pub fn in_parts(parts: Vec<Bytes>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        Self {
            further: parts.collect(),
            ..Self::new(first)
        }
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> Vec<&Bytes> {
        std::iter::once(&self.plain).chain(&self.further).collect()
    }

    fn len(&self) -> usize {
        self.plain.len() + self.further.iter().map(Bytes::len).sum::<usize>()
    }

    /// Whether it is large enough to be compressed.
    #[must_use]
    pub fn is_worth_compressing(&self) -> bool {
        self.plain.len() >= COMPRESSED_FROM
    }

    /// The bytes, not compressed.
    #[must_use]
    pub fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// The bytes, compressed on first use. Compressed forms count against the budget of answers.
    fn bytes(&self, encoding: Encoding, answers: &Answers) -> Result<Bytes, ServiceError> {
        let slot = match encoding {
            Encoding::Plain => return Ok(self.plain.clone()),
            Encoding::Gzip => &self.gzip,
            Encoding::Zstd => &self.zstd,
        };
        if let Some(made) = slot.get() {
            return Ok(made.clone());
        }
        let made = match encoding {
            Encoding::Gzip => gzip(&self.plain),
            _ => zstd(&self.plain),
        };
        let made = answers.hold(made.map_err(ServiceError::failed)?)?;
        Ok(slot.get_or_init(|| made).clone())
    }

    fn is_made(&self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Plain => true,
            Encoding::Gzip => self.gzip.get().is_some(),
            Encoding::Zstd => self.zstd.get().is_some(),
        }
    }
}

impl From<Bytes> for View {
    fn from(plain: Bytes) -> Self {
        Self::new(plain)
    }
}

pub(super) struct Views(Cache<ViewId, Arc<View>>);

impl Views {
    pub(super) fn new(budget: u64) -> Self {
        let weight = |_: &ViewId, view: &Arc<View>| {
            // The compressed forms add about a third.
            u32::try_from(view.len() / 3 * 4 + 256).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().name("views").weigher(weight);
        Self(cache.max_capacity(budget).build())
    }
}

pub(super) fn count_look(cache: &'static str, found: bool) {
    let outcome = if found { "hit" } else { "miss" };
    let looks =
        metrics::counter!("opatlas_cache_requests_total", "cache" => cache, "outcome" => outcome);
    looks.increment(1);
}

impl Service {
    /// The caches by name, with their number of entries and estimated size in bytes.
    pub async fn cache_sizes(&self) -> [(&'static str, u64, u64); 5] {
        let views = &self.views.0;
        views.run_pending_tasks().await;
        let (entries, bytes) = self.snapshots.size();
        let (names, names_bytes) = self.names.size();
        let (bulk, bulk_bytes) = self.bulks.size();
        let (said, said_bytes) = self.histories.size().await;
        [
            ("views", views.entry_count(), views.weighted_size()),
            ("snapshots", entries, bytes),
            ("names", names, names_bytes),
            ("bulk", bulk, bulk_bytes),
            ("said", said, said_bytes),
        ]
    }

    /// A view, if it is cached.
    pub async fn cached_view(&self, id: ViewId) -> Option<Arc<View>> {
        self.views.0.get(&id).await
    }

    /// A view, from the cache or computed once. Fails as `make` does; nothing is cached then.
    pub async fn view<E: Send + Sync + 'static>(
        &self,
        id: ViewId,
        make: impl Future<Output = Result<impl Into<View>, E>>,
    ) -> Result<Arc<View>, Arc<E>> {
        if let Some(view) = self.views.0.get(&id).await {
            count_look("views", true);
            return Ok(view);
        }
        count_look("views", false);
        let make = async { make.await.map(|view| Arc::new(view.into())) };
        self.views.0.try_get_with(id, make).await
    }

    /// The bytes of a view in an encoding. Fails with [`ServiceError::Busy`].
    pub async fn encoded(
        &self,
        view: &Arc<View>,
        encoding: Encoding,
    ) -> Result<Bytes, ServiceError> {
        if view.is_made(encoding) || view.plain.len() < COMPRESSED_APART_FROM {
            return view.bytes(encoding, &self.answers);
        }
        let (view, answers) = (Arc::clone(view), self.answers.clone());
        let compressed = self.compute(move |_| Ok(view.bytes(encoding, &answers)));
        compressed.await?
    }

    /// The id of an answer with these bytes. Fails with [`ServiceError::Busy`].
    pub async fn id_of(&self, bytes: &Bytes) -> Result<ViewId, ServiceError> {
        if bytes.len() < HASHED_APART_FROM {
            return Ok(ViewId::of_bytes(bytes));
        }
        let bytes = bytes.clone();
        self.compute(move |_| Ok(ViewId::of_bytes(&bytes))).await
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_is_compressed_comes_back() {
        let text = "operator ".repeat(1000);
        let view = View::new(text.clone().into());
        let answers = Answers::new(1 << 20);
        let bytes = |encoding| view.bytes(encoding, &answers).unwrap();
        let mut back = String::new();
        flate2::read::GzDecoder::new(&*bytes(Encoding::Gzip))
            .read_to_string(&mut back)
            .unwrap();
        assert_eq!(back, text);
        let back = zstd::bulk::decompress(&bytes(Encoding::Zstd), 1 << 20).unwrap();
        assert_eq!(back, text.as_bytes());
        assert_eq!(bytes(Encoding::Plain), text);
    }
}

//! Long answers: made in pieces, sent while they are made, and kept compressed.
//!
//! An answer is made once for all who ask for it in a form, gzip or Zstandard. Who comes while it is
//! made reads along from the beginning. It is one compressed stream that is flushed again and again, so
//! what is made can be sent soon. Who wants plain text gets it decompressed on the way
//! ([`Unpacker`]): the text is an order of magnitude larger, and is never in memory as a whole.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use moka::sync::Cache;
use opatlas_source::Stop;
use tokio::sync::watch;

use super::Service;
use super::ahead::{Ahead, Aside, Make};
use super::answers::{Answers, LARGEST_ANSWER};
use super::error::ServiceError;
use super::packing::{Effort, Packer};
use super::views::{Encoding, ViewId, count_look};

/// How many bytes of text are sent together, behind the first piece: some seventy thousand when compressed. Each
/// time wakes the connection and its client, which takes a processor from who makes the next pieces: with a quarter
/// of this, a comparison of 8 MB took 2 to 5 % longer.
const TOGETHER: usize = 1 << 20;
/// How many make the first one, which somebody waits for.
const FIRST_PIECE: usize = 4;
/// What an answer takes besides its bytes, in bytes, about.
const ENTRY: usize = 256;

/// The items of a long answer, made on demand.
pub struct Items {
    /// How many there are.
    pub count: usize,
    /// How many make a piece: up to a millisecond of work, and so many that compressing one is worth it.
    pub piece: usize,
    /// Appends the text of those of a range.
    pub make: Box<Make<'static>>,
    /// Makes what only later ones need, if that takes long, so that it can be made beside the first.
    pub aside: Box<Aside<'static>>,
    /// How much time to spend on making the answer smaller.
    pub effort: Effort,
}

/// A long answer in a form.
type Key = (ViewId, Encoding);

/// A long answer, of which more and more is there.
#[derive(Debug)]
struct Bulk(watch::Sender<Grown>);

/// What there is of it.
#[derive(Debug, Default)]
struct Grown {
    pieces: Vec<Bytes>,
    /// Set when there will be no more.
    end: Option<Result<(), Arc<ServiceError>>>,
}

/// A long answer as somebody reads it, from its beginning.
#[derive(Debug)]
pub struct Reading {
    grown: watch::Receiver<Grown>,
    next: usize,
    /// It is made only as long as somebody holds it.
    _bulk: Arc<Bulk>,
}

/// The long answers that are kept, and those that are being made.
#[derive(Clone)]
pub(super) struct Bulks {
    kept: Cache<Key, Arc<Bulk>>,
    growing: Arc<Mutex<HashMap<Key, Weak<Bulk>>>>,
}

impl Bulks {
    /// Keeps at most so many bytes.
    pub(super) fn new(budget: u64) -> Self {
        let weight = |_: &Key, bulk: &Arc<Bulk>| {
            let bytes: usize = bulk.0.borrow().pieces.iter().map(Bytes::len).sum();
            u32::try_from(bytes + ENTRY).unwrap_or(u32::MAX)
        };
        let kept = Cache::builder().name("bulk").weigher(weight);
        Self {
            kept: kept.max_capacity(budget).build(),
            growing: Arc::default(),
        }
    }

    /// How many are kept, and how many bytes they take by estimate.
    pub(super) fn size(&self) -> (u64, u64) {
        self.kept.run_pending_tasks();
        (self.kept.entry_count(), self.kept.weighted_size())
    }

    fn growing(&self) -> MutexGuard<'_, HashMap<Key, Weak<Bulk>>> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer where it is there or is being made.
    fn find(&self, key: Key) -> Option<Arc<Bulk>> {
        let growing = self.growing();
        let bulk = growing.get(&key).and_then(Weak::upgrade);
        // What is not made any more is kept, if it was made.
        bulk.or_else(|| self.kept.get(&key))
    }

    /// The same, or a new one that the caller has to make.
    fn find_or_begin(&self, key: Key) -> (Arc<Bulk>, bool) {
        let mut growing = self.growing();
        let bulk = growing.get(&key).and_then(Weak::upgrade);
        if let Some(bulk) = bulk.or_else(|| self.kept.get(&key)) {
            return (bulk, false);
        }
        let bulk = Arc::new(Bulk(watch::Sender::new(Grown::default())));
        growing.insert(key, Arc::downgrade(&bulk));
        (bulk, true)
    }

    /// Whether nobody reads what only its maker holds; nobody finds it any more then.
    fn is_given_up(&self, key: Key, bulk: &Arc<Bulk>) -> bool {
        let mut growing = self.growing();
        let is_alone = Arc::strong_count(bulk) == 1;
        if is_alone {
            growing.remove(&key);
        }
        is_alone
    }

    /// Ends an answer with its last piece and, if it was made, keeps it in one piece. Readers get the last piece
    /// before that copy is made; until it is kept, others find the pieces.
    fn end(&self, key: Key, bulk: &Bulk, last: Result<Vec<u8>, ServiceError>, answers: &Answers) {
        let last = last.and_then(|last| answers.hold(last));
        let is_made = last.is_ok();
        bulk.0.send_modify(|grown| {
            let end = last.map(|last| grown.pieces.push(last));
            grown.end = Some(end.map_err(Arc::new));
        });
        if is_made {
            let whole = bulk.0.borrow().pieces.concat();
            if let Ok(whole) = answers.hold(whole) {
                let whole = Grown {
                    pieces: vec![whole],
                    end: Some(Ok(())),
                };
                self.kept
                    .insert(key, Arc::new(Bulk(watch::Sender::new(whole))));
            }
        }
        self.growing().remove(&key);
    }

    /// Makes all pieces, as long as somebody reads them. Returns the last one, which ends the answer.
    fn make(
        &self,
        key: Key,
        bulk: &Arc<Bulk>,
        items: &Items,
        (answers, stop): (&Answers, &Stop),
    ) -> Result<Vec<u8>, ServiceError> {
        let is_short = items.count <= items.piece;
        let first = if is_short { items.count } else { FIRST_PIECE };
        let (mut waiting, mut bytes) = (0, 0);
        let mut counted = |packed: Vec<u8>| {
            bytes += packed.len();
            let limit = LARGEST_ANSWER;
            match bytes > limit {
                true => Err(ServiceError::LargeAnswer { limit }),
                false => Ok(packed),
            }
        };
        let mut packer = Packer::new(key.1, items.effort);
        // Somebody waits for the first piece, unless it is all.
        let mut is_first = !is_short;
        let mut pack = |text: &[u8]| {
            stop.check()?;
            if self.is_given_up(key, bulk) {
                stop.request();
            }
            packer.write(text);
            waiting += text.len();
            if is_first || waiting >= TOGETHER {
                let piece = answers.hold(counted(packer.flush())?)?;
                bulk.0.send_modify(|grown| grown.pieces.push(piece));
                (is_first, waiting) = (false, 0);
            }
            Ok(())
        };
        let make = (&*items.make, &*items.aside);
        // Compressing is a fifth of the work, and needs one piece after the other.
        let ahead = Ahead::new(items.count, (first, items.piece), make, &mut pack);
        ahead.lead();
        ahead.help();
        ahead.result()?;
        stop.check()?;
        counted(packer.finish())
    }
}

impl Reading {
    fn of(bulk: Arc<Bulk>) -> Self {
        Self {
            grown: bulk.0.subscribe(),
            next: 0,
            _bulk: bulk,
        }
    }

    /// All of it, if all of it is there in one piece when its beginning is.
    pub async fn whole(&mut self) -> Option<Bytes> {
        let is_begun = |grown: &Grown| !grown.pieces.is_empty() || grown.end.is_some();
        let grown = self.grown.wait_for(is_begun).await.ok()?;
        match (&*grown.pieces, &grown.end) {
            ([whole], Some(Ok(()))) => Some(whole.clone()),
            _ => None,
        }
    }

    /// The next piece, once it is there; none at the end.
    ///
    /// # Errors
    /// The error that ended the work before the answer was complete.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Arc<ServiceError>> {
        let at = self.next;
        let is_there = |grown: &Grown| grown.pieces.len() > at || grown.end.is_some();
        let Ok(grown) = self.grown.wait_for(is_there).await else {
            return Ok(None);
        };
        let piece = grown.pieces.get(at).cloned();
        match (piece, &grown.end) {
            (Some(piece), _) => {
                self.next += 1;
                Ok(Some(piece))
            }
            (None, Some(Err(error))) => Err(Arc::clone(error)),
            (None, _) => Ok(None),
        }
    }
}

impl Service {
    /// The long answer of this id in a form, gzip or Zstandard, if it is there or is being made.
    pub fn bulk(&self, id: ViewId, form: Encoding) -> Option<Reading> {
        let found = self.bulks.find((id, form)).map(Reading::of);
        count_look("bulk", found.is_some());
        found
    }

    /// The same, made if necessary: off the async threads, as long as somebody reads it.
    pub fn make_bulk(
        &self,
        (id, form): (ViewId, Encoding),
        items: impl FnOnce(&Stop) -> Result<Items, ServiceError> + Send + 'static,
    ) -> Reading {
        let key = (id, form);
        let (bulk, is_new) = self.bulks.find_or_begin(key);
        let reading = Reading::of(Arc::clone(&bulk));
        if is_new {
            let (bulks, answers) = (self.bulks.clone(), self.answers.clone());
            let workers = self.workers.clone();
            // Whoever asked first may go before the others.
            tokio::spawn(async move {
                let made = {
                    let (bulks, answers) = (bulks.clone(), answers.clone());
                    let bulk = Arc::clone(&bulk);
                    let make = move |stop: &Stop| {
                        let made = items(stop).and_then(|items| {
                            let last = bulks.make(key, &bulk, &items, (&answers, stop))?;
                            bulks.end(key, &bulk, Ok(last), &answers);
                            Ok(())
                        });
                        Ok(made)
                    };
                    workers.run(make).await
                };
                if let Err(error) = made.flatten() {
                    bulks.end(key, &bulk, Err(error), &answers);
                }
            });
        }
        reading
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::service::Unpacker;
    use opatlas_source::Digest;

    const COUNT: usize = 30_000;
    const PIECE: usize = 64;

    fn text(range: Range<usize>) -> Vec<u8> {
        let lines = range.map(|at| format!("{{\"line\":{at},\"square\":{}}}\n", at * at));
        lines.collect::<String>().into_bytes()
    }

    fn items(made: Arc<AtomicUsize>) -> Items {
        Items {
            count: COUNT,
            piece: PIECE,
            make: Box::new(move |range, out| {
                made.fetch_add(range.len(), Ordering::Relaxed);
                out.extend(text(range));
                Ok(())
            }),
            aside: Box::new(|| ()),
            effort: Effort::Often,
        }
    }

    fn id(name: &str) -> ViewId {
        ViewId::of_bytes(name.as_bytes())
    }

    async fn read(mut reading: Reading) -> Result<Vec<Bytes>, Arc<ServiceError>> {
        let mut pieces = Vec::new();
        while let Some(piece) = reading.next().await? {
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// Makes an answer where it is to be made, as the service does.
    fn make(bulks: &Bulks, key: Key, made: &Arc<AtomicUsize>, answers: &Answers) -> Reading {
        let (bulk, is_new) = bulks.find_or_begin(key);
        let reading = Reading::of(Arc::clone(&bulk));
        if is_new {
            let items = items(Arc::clone(made));
            let done = bulks.make(key, &bulk, &items, (answers, &Stop::new()));
            bulks.end(key, &bulk, done, answers);
        }
        reading
    }

    #[tokio::test]
    async fn an_answer_is_made_once_in_each_form_and_comes_back() {
        let (bulks, answers) = (Bulks::new(1 << 20), Answers::new(1 << 24));
        let made = Arc::default();
        for form in [Encoding::Gzip, Encoding::Zstd] {
            let mut first = make(&bulks, (id("a"), form), &made, &answers);
            assert!(first.whole().await.is_none(), "it is still as it was sent");
            let pieces = read(first).await.unwrap();
            assert!(pieces.len() > text(0..COUNT).len() / (TOGETHER + PIECE * 64));
            let mut again = make(&bulks, (id("a"), form), &made, &answers);
            assert_eq!(again.whole().await.unwrap(), pieces.concat());
            let mut plain = Vec::new();
            match form {
                Encoding::Gzip => {
                    let whole = again.whole().await.unwrap();
                    let mut decoder = flate2::read::GzDecoder::new(&*whole);
                    decoder.read_to_end(&mut plain).unwrap();
                }
                _ => {
                    let mut unpacker = Unpacker::new().unwrap();
                    for mut piece in pieces.iter().cloned() {
                        loop {
                            let text = unpacker.unpack(&mut piece).unwrap();
                            if text.is_empty() {
                                break;
                            }
                            plain.extend(text);
                        }
                    }
                    let whole = zstd::stream::decode_all(&*pieces.concat()).unwrap();
                    assert_eq!(plain, whole);
                }
            }
            assert_eq!(plain, text(0..COUNT));
        }
        assert_eq!(made.load(Ordering::Relaxed), 2 * COUNT);
        assert!(bulks.growing().is_empty());
    }

    #[tokio::test]
    async fn who_comes_while_it_is_made_reads_along() {
        let (bulks, answers) = (Bulks::new(1 << 20), Answers::new(1 << 24));
        let key = (id("a"), Encoding::Zstd);
        let (bulk, is_new) = bulks.find_or_begin(key);
        assert!(is_new);
        let first = Reading::of(Arc::clone(&bulk));
        bulk.0
            .send_modify(|grown| grown.pieces.push(Bytes::from_static(b"one")));
        let (same, is_new) = bulks.find_or_begin(key);
        assert!(Arc::ptr_eq(&same, &bulk) && !is_new);
        let (first, mut second) = (tokio::spawn(read(first)), Reading::of(same));
        assert!(second.whole().await.is_none());
        bulk.0
            .send_modify(|grown| grown.pieces.push(Bytes::from_static(b"two")));
        bulks.end(key, &bulk, Ok(b"three".to_vec()), &answers);
        for pieces in [first.await.unwrap().unwrap(), read(second).await.unwrap()] {
            assert_eq!(pieces, ["one", "two", "three"]);
        }
    }

    #[tokio::test]
    async fn what_nobody_reads_is_given_up_and_made_anew() {
        let (bulks, answers) = (Bulks::new(1 << 20), Answers::new(1 << 24));
        let key = (id("a"), Encoding::Gzip);
        let (bulk, _) = bulks.find_or_begin(key);
        let made = Arc::default();
        let items = items(Arc::clone(&made));
        let done = bulks.make(key, &bulk, &items, (&answers, &Stop::new()));
        assert!(done.is_err());
        assert!(made.load(Ordering::Relaxed) < COUNT);
        bulks.end(key, &bulk, done, &answers);
        assert!(bulks.find(key).is_none());
        let pieces = read(make(&bulks, key, &made, &answers)).await.unwrap();
        assert!(!pieces.is_empty());
    }

    #[tokio::test]
    async fn what_does_not_fit_ends_with_an_error_and_is_not_kept() {
        let (bulks, answers) = (Bulks::new(1 << 20), Answers::new(0));
        let key = (id("a"), Encoding::Zstd);
        let (bulk, _) = bulks.find_or_begin(key);
        let reading = Reading::of(Arc::clone(&bulk));
        let many = Items {
            count: 100 * PIECE,
            piece: PIECE,
            make: Box::new(|range, out| {
                let random = |at: usize| Digest::of(&at.to_le_bytes()).to_string();
                out.extend(range.map(random).collect::<String>().bytes());
                Ok(())
            }),
            aside: Box::new(|| ()),
            effort: Effort::Often,
        };
        let done = bulks.make(key, &bulk, &many, (&answers, &Stop::new()));
        bulks.end(key, &bulk, done, &answers);
        let error = read(reading).await.unwrap_err();
        assert!(matches!(*error, ServiceError::Unread), "{error}");
        assert!(bulks.find(key).is_none());
    }

    #[tokio::test]
    async fn a_short_answer_is_whole_the_first_time() {
        let (bulks, answers) = (Bulks::new(1 << 20), Answers::new(1 << 24));
        let key = (id("a"), Encoding::Zstd);
        for count in [0, 1, PIECE] {
            let (bulk, _) = bulks.find_or_begin(key);
            let mut reading = Reading::of(Arc::clone(&bulk));
            let few = Items {
                count,
                ..items(Arc::default())
            };
            let done = bulks.make(key, &bulk, &few, (&answers, &Stop::new()));
            assert!(bulk.0.borrow().pieces.is_empty());
            bulks.end(key, &bulk, done, &answers);
            let whole = reading.whole().await.unwrap();
            let plain = zstd::stream::decode_all(&*whole).unwrap();
            assert_eq!(plain, text(0..count));
            bulks.kept.invalidate_all();
        }
    }

    #[tokio::test]
    async fn long_answers_have_a_bound_in_bytes() {
        let budget = 1 << 20;
        let (bulks, answers) = (Bulks::new(budget), Answers::new(1 << 24));
        let made = Arc::default();
        for at in 0..50 {
            let key = (id(&format!("answer {at}")), Encoding::Gzip);
            read(make(&bulks, key, &made, &answers)).await.unwrap();
        }
        let (entries, bytes) = bulks.size();
        assert!(
            bytes <= budget && (1..50).contains(&entries),
            "{entries} {bytes}"
        );
    }
}

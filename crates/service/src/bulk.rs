//! Long answers: compressed and sent while they are made, then kept compressed.
//!
//! An answer is made once in each form, gzip or Zstandard, for everyone who asks for it; whoever asks while
//! it is made reads along from the beginning. Plain text is decompressed on its way to the client
//! ([`super::Unpacker`]), because it is ten times larger and must not be in memory as a whole.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use moka::sync::Cache;
use opatlas_source::Stop;
use tokio::sync::watch;

use super::Service;
use super::answers::{Answers, LARGEST_ANSWER};
use super::error::ServiceError;
use super::packing::Packer;
use super::views::{Encoding, ViewId, count_look};
use super::work::Workers;

/// The text that is sent together, in bytes: about 20 KB compressed.
const PIECE: usize = 256 << 10;
/// The text that is compressed together, in bytes.
const BUFFER: usize = 32 << 10;
/// The memory of a kept answer besides its bytes, in bytes, by estimate.
const ENTRY: usize = 256;

/// A long answer in a form.
type Key = (ViewId, Encoding);

/// The part of an answer that is made.
#[derive(Debug, Default)]
struct Grown {
    pieces: Vec<Bytes>,
    /// Set when there will be no more.
    end: Option<Result<(), Arc<ServiceError>>>,
}

/// A long answer as somebody reads it, from its beginning. It is made only while somebody reads it.
#[derive(Debug)]
pub struct Reading {
    grown: watch::Receiver<Grown>,
    next: usize,
}

/// The long answers that are kept, and those that are being made.
#[derive(Clone)]
pub(super) struct Bulks {
    kept: Cache<Key, Bytes>,
    growing: Arc<Mutex<Growing>>,
}

/// The answers that are being made.
type Growing = HashMap<Key, Arc<watch::Sender<Grown>>>;

/// A finished answer: its last piece, and all of it if there is memory to keep it.
struct Finished {
    last: Bytes,
    whole: Option<Bytes>,
}

impl Bulks {
    /// Keeps at most so many bytes.
    pub(super) fn new(budget: u64) -> Self {
        let weight =
            |_: &Key, whole: &Bytes| u32::try_from(whole.len() + ENTRY).unwrap_or(u32::MAX);
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

    fn growing(&self) -> MutexGuard<'_, Growing> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer if it is kept or being made.
    fn find(&self, key: Key) -> Option<Reading> {
        self.find_in(&self.growing(), key)
    }

    fn find_in(&self, growing: &Growing, key: Key) -> Option<Reading> {
        match growing.get(&key) {
            Some(grown) => Some(Reading::new(grown.subscribe())),
            None => self.kept.get(&key).map(Reading::of_whole),
        }
    }

    /// The answer, made on a worker if it is neither kept nor being made.
    fn find_or_make(
        &self,
        key: Key,
        (workers, answers): (&Workers, &Answers),
        write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static,
    ) -> Reading {
        let mut growing = self.growing();
        if let Some(reading) = self.find_in(&growing, key) {
            return reading;
        }
        let (grown, receiver) = watch::channel(Grown::default());
        let grown = Arc::new(grown);
        growing.insert(key, Arc::clone(&grown));
        let (bulks, workers, answers) = (self.clone(), workers.clone(), answers.clone());
        tokio::spawn(async move {
            let to = Arc::clone(&grown);
            let made = workers.run(move |stop| Ok(make(key.1, write, (&to, &answers), stop)));
            tokio::select! {
                made = made => bulks.end(key, &grown, made.flatten()),
                // The work stops with its future.
                () = bulks.given_up(key, &grown) => {}
            }
        });
        Reading::new(receiver)
    }

    /// Ends an answer, and keeps it if it was made.
    fn end(&self, key: Key, grown: &watch::Sender<Grown>, made: Result<Finished, ServiceError>) {
        let mut growing = self.growing();
        growing.remove(&key);
        grown.send_modify(|grown| {
            grown.end = Some(match made {
                Ok(Finished { last, whole }) => {
                    if let Some(whole) = whole {
                        self.kept.insert(key, whole);
                    }
                    grown.pieces.push(last);
                    Ok(())
                }
                Err(error) => Err(Arc::new(error)),
            });
        });
    }

    /// Waits until nobody reads the answer. It is not found after that.
    async fn given_up(&self, key: Key, grown: &watch::Sender<Grown>) {
        loop {
            grown.closed().await;
            // Readers are added under the lock only.
            let mut growing = self.growing();
            if grown.is_closed() {
                growing.remove(&key);
                return;
            }
        }
    }
}

/// Makes an answer and hands all but its last piece to its readers.
fn make(
    form: Encoding,
    write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError>,
    (grown, answers): (&watch::Sender<Grown>, &Answers),
    stop: &Stop,
) -> Result<Finished, ServiceError> {
    let pieces = Pieces {
        packer: Packer::new(form).map_err(ServiceError::failed)?,
        grown,
        answers,
        stop,
        waiting: 0,
        packed: 0,
    };
    let mut out = BufWriter::with_capacity(BUFFER, pieces);
    write(stop, &mut out)?;
    let pieces = out.into_inner();
    pieces
        .map_err(|error| ServiceError::of_write(error.into_error()))?
        .finish()
}

/// Compresses what is written to it, and hands it to the readers of an answer piece by piece.
struct Pieces<'a> {
    packer: Packer,
    grown: &'a watch::Sender<Grown>,
    answers: &'a Answers,
    stop: &'a Stop,
    /// The text since the last piece, in bytes.
    waiting: usize,
    /// The compressed pieces so far, in bytes.
    packed: usize,
}

impl Pieces<'_> {
    fn add(&mut self, text: &[u8]) -> Result<(), ServiceError> {
        self.stop.check()?;
        self.packer.write_all(text).map_err(ServiceError::failed)?;
        self.waiting += text.len();
        if self.waiting >= PIECE {
            self.waiting = 0;
            let packed = self.packer.take().map_err(ServiceError::failed)?;
            self.packed += packed.len();
            let piece = hold(self.answers, packed, self.packed)?;
            self.grown.send_modify(|grown| grown.pieces.push(piece));
        }
        Ok(())
    }

    fn finish(self) -> Result<Finished, ServiceError> {
        self.stop.check()?;
        let packed = self.packer.finish().map_err(ServiceError::failed)?;
        let bytes = self.packed + packed.len();
        let last = hold(self.answers, packed, bytes)?;
        let pieces = self.grown.borrow().pieces.clone();
        let whole = match pieces.is_empty() {
            true => Some(last.clone()),
            false => {
                let whole = [pieces.concat(), last.to_vec()].concat();
                self.answers.hold(whole).ok()
            }
        };
        Ok(Finished { last, whole })
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.add(text).map_err(io::Error::other)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reserves memory for a piece of an answer that has so many bytes with it.
fn hold(answers: &Answers, piece: Vec<u8>, bytes: usize) -> Result<Bytes, ServiceError> {
    let limit = LARGEST_ANSWER;
    match bytes > limit {
        true => Err(ServiceError::LargeAnswer { limit }),
        false => answers.hold(piece),
    }
}

impl Reading {
    fn new(grown: watch::Receiver<Grown>) -> Self {
        Self { grown, next: 0 }
    }

    fn of_whole(whole: Bytes) -> Self {
        let grown = Grown {
            pieces: vec![whole],
            end: Some(Ok(())),
        };
        Self::new(watch::channel(grown).1)
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
        let found = self.bulks.find((id, form));
        count_look("bulk", found.is_some());
        found
    }

    /// The long answer of this id in a form. If it is not there, `write` makes it off the async
    /// threads, as long as somebody reads it.
    pub fn make_bulk(
        &self,
        (id, form): (ViewId, Encoding),
        write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static,
    ) -> Reading {
        let by = (&self.workers, &self.answers);
        self.bulks.find_or_make((id, form), by, write)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::Unpacker;
    use opatlas_source::Digest;

    const COUNT: usize = 30_000;
    const PATIENCE: Duration = Duration::from_secs(60);

    fn text(range: Range<usize>) -> String {
        let line = |at: usize| format!("{{\"line\":{at},\"square\":{}}}\n", at * at);
        range.map(line).collect()
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

    struct Maker {
        bulks: Bulks,
        workers: Workers,
        answers: Answers,
        made: Arc<AtomicUsize>,
    }

    impl Maker {
        fn new(answers: usize) -> Self {
            Self {
                bulks: Bulks::new(1 << 20),
                workers: Workers::new(2, PATIENCE),
                answers: Answers::new(answers),
                made: Arc::default(),
            }
        }

        fn make(
            &self,
            key: Key,
            write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static,
        ) -> Reading {
            self.bulks
                .find_or_make(key, (&self.workers, &self.answers), write)
        }

        /// An answer of so many lines.
        fn lines(&self, key: Key, count: usize) -> Reading {
            let made = Arc::clone(&self.made);
            self.make(key, move |_, out| {
                made.fetch_add(1, Ordering::Relaxed);
                let written = out.write_all(text(0..count).as_bytes());
                written.map_err(ServiceError::of_write)
            })
        }
    }

    #[tokio::test]
    async fn an_answer_is_made_once_in_each_form_and_comes_back() {
        let maker = Maker::new(1 << 24);
        for form in [Encoding::Gzip, Encoding::Zstd] {
            let pieces = read(maker.lines((id("a"), form), COUNT)).await.unwrap();
            let whole = pieces.concat();
            let mut again = maker.lines((id("a"), form), COUNT);
            assert_eq!(again.whole().await.unwrap(), whole);
            let mut plain = Vec::new();
            match form {
                Encoding::Gzip => {
                    let mut decoder = flate2::read::GzDecoder::new(&*whole);
                    decoder.read_to_end(&mut plain).unwrap();
                }
                _ => {
                    let mut unpacker = Unpacker::new().unwrap();
                    for mut piece in pieces {
                        loop {
                            let text = unpacker.unpack(&mut piece).unwrap();
                            if text.is_empty() {
                                break;
                            }
                            plain.extend(text);
                        }
                    }
                    assert_eq!(plain, zstd::stream::decode_all(&*whole).unwrap());
                }
            }
            assert_eq!(plain, text(0..COUNT).as_bytes());
        }
        assert_eq!(maker.made.load(Ordering::Relaxed), 2);
        assert!(maker.bulks.growing().is_empty());
    }

    #[tokio::test]
    async fn who_comes_while_it_is_made_reads_along() {
        let maker = Maker::new(1 << 24);
        let key = (id("a"), Encoding::Zstd);
        let (more, wait) = mpsc::channel::<()>();
        let mut first = maker.make(key, move |_, out| {
            let mut part = |range| out.write_all(text(range).as_bytes());
            part(0..COUNT).map_err(ServiceError::of_write)?;
            wait.recv_timeout(PATIENCE).unwrap();
            part(COUNT..2 * COUNT).map_err(ServiceError::of_write)
        });
        assert!(first.whole().await.is_none());
        let second = maker.bulks.find(key).unwrap();
        more.send(()).unwrap();
        let (first, second) = (read(first).await.unwrap(), read(second).await.unwrap());
        assert_eq!(first, second);
        let plain = zstd::stream::decode_all(&*first.concat()).unwrap();
        assert_eq!(plain, text(0..2 * COUNT).as_bytes());
    }

    #[tokio::test]
    async fn what_nobody_reads_is_given_up_and_made_anew() {
        let maker = Maker::new(1 << 24);
        let key = (id("a"), Encoding::Gzip);
        let ((begun, begins), (ended, ends)) = (mpsc::channel(), mpsc::channel());
        let mut reading = maker.make(key, move |_, out| {
            begun.send(()).unwrap();
            let error = loop {
                if let Err(error) = out.write_all(&[b'x'; 1000]) {
                    break ServiceError::of_write(error);
                }
            };
            let _ = ended.send(matches!(error, ServiceError::Stopped(_)));
            Err(error)
        });
        assert!(reading.next().await.unwrap().is_some());
        begins.recv_timeout(PATIENCE).unwrap();
        drop(reading);
        let ends = tokio::task::spawn_blocking(move || ends.recv_timeout(PATIENCE));
        assert!(ends.await.unwrap().unwrap(), "it was stopped");
        assert!(maker.bulks.find(key).is_none());
        let pieces = read(maker.lines(key, COUNT)).await.unwrap();
        assert!(!pieces.is_empty());
    }

    #[tokio::test]
    async fn what_does_not_fit_ends_with_an_error_and_is_not_kept() {
        let maker = Maker::new(0);
        let key = (id("a"), Encoding::Zstd);
        let reading = maker.make(key, |_, out| {
            let random = |at: usize| Digest::of(&at.to_le_bytes()).to_string();
            let random: String = (0..20_000).map(random).collect();
            out.write_all(random.as_bytes())
                .map_err(ServiceError::of_write)
        });
        let error = read(reading).await.unwrap_err();
        assert!(matches!(*error, ServiceError::Unread), "{error}");
        assert!(maker.bulks.find(key).is_none());
    }

    #[tokio::test]
    async fn a_failure_ends_the_answer_with_its_error() {
        let maker = Maker::new(1 << 24);
        let key = (id("a"), Encoding::Zstd);
        let error = read(maker.make(key, |_, _| Err(ServiceError::Busy))).await;
        assert!(matches!(*error.unwrap_err(), ServiceError::Busy));
        let error = read(maker.make(key, |_, _| panic!("in a test"))).await;
        assert!(matches!(*error.unwrap_err(), ServiceError::Failed(_)));
        assert!(maker.bulks.find(key).is_none());
    }

    #[tokio::test]
    async fn a_short_answer_is_whole_the_first_time() {
        let maker = Maker::new(1 << 24);
        for count in [0, 1, 64] {
            let mut reading = maker.lines((id(&count.to_string()), Encoding::Zstd), count);
            let whole = reading.whole().await.unwrap();
            let plain = zstd::stream::decode_all(&*whole).unwrap();
            assert_eq!(plain, text(0..count).as_bytes());
        }
    }

    #[tokio::test]
    async fn long_answers_have_a_bound_in_bytes() {
        let maker = Maker::new(1 << 24);
        for at in 0..50 {
            let key = (id(&format!("answer {at}")), Encoding::Gzip);
            read(maker.lines(key, COUNT)).await.unwrap();
        }
        let (entries, bytes) = maker.bulks.size();
        assert!(
            bytes <= 1 << 20 && (1..50).contains(&entries),
            "{entries} {bytes}"
        );
    }
}

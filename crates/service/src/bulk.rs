//! Long answers: compressed and sent while they are written, then cached in compressed form.
//!
//! An answer is written once per encoding, gzip or Zstandard. Later requests read along from its
//! beginning. Plain text is decompressed on its way to the client ([`super::Unpacker`]), because it
//! is ten times larger.

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

/// Bytes of text per piece: about 20 KB compressed.
const PIECE: usize = 256 << 10;
const BUFFER: usize = 32 << 10;
/// Estimated memory of a cached answer besides its bytes.
const ENTRY: usize = 256;

type Key = (ViewId, Encoding);

#[derive(Debug, Default)]
struct Progress {
    pieces: Vec<Bytes>,
    end: Option<Result<(), Arc<ServiceError>>>,
}

/// A reader of a long answer. The answer is written only as long as it has readers.
#[derive(Debug)]
pub struct Reading {
    progress: watch::Receiver<Progress>,
    next: usize,
}

#[derive(Clone)]
pub(super) struct LongAnswers {
    kept: Cache<Key, Bytes>,
    unfinished: Arc<Mutex<Unfinished>>,
}

type Unfinished = HashMap<Key, Arc<watch::Sender<Progress>>>;

struct Finished {
    last: Bytes,
    whole: Option<Bytes>,
}

impl LongAnswers {
    pub(super) fn new(budget: u64) -> Self {
        let weight =
            |_: &Key, whole: &Bytes| u32::try_from(whole.len() + ENTRY).unwrap_or(u32::MAX);
        let kept = Cache::builder().name("bulk").weigher(weight);
        Self {
            kept: kept.max_capacity(budget).build(),
            unfinished: Arc::default(),
        }
    }

    pub(super) fn size(&self) -> (u64, u64) {
        self.kept.run_pending_tasks();
        (self.kept.entry_count(), self.kept.weighted_size())
    }

    fn unfinished(&self) -> MutexGuard<'_, Unfinished> {
        self.unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: Key) -> Option<Reading> {
        self.find_in(&self.unfinished(), key)
    }

    fn find_in(&self, unfinished: &Unfinished, key: Key) -> Option<Reading> {
        match unfinished.get(&key) {
            Some(progress) => Some(Reading::new(progress.subscribe())),
            None => self.kept.get(&key).map(Reading::of_whole),
        }
    }

    /// Starts to write the answer unless it is cached or being written.
    fn find_or_write(
        &self,
        key: Key,
        (workers, answers): (&Workers, &Answers),
        write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static,
    ) -> Reading {
        let mut unfinished = self.unfinished();
        if let Some(reading) = self.find_in(&unfinished, key) {
            return reading;
        }
        let (progress, receiver) = watch::channel(Progress::default());
        let progress = Arc::new(progress);
        unfinished.insert(key, Arc::clone(&progress));
        let (bulks, workers, answers) = (self.clone(), workers.clone(), answers.clone());
        tokio::spawn(async move {
            let to = Arc::clone(&progress);
            let made = workers.run(move |stop| Ok(make(key.1, write, (&to, &answers), stop)));
            tokio::select! {
                made = made => bulks.end(key, &progress, made.flatten()),
                // Dropping its future stops the work.
                () = bulks.abandoned(key, &progress) => {}
            }
        });
        Reading::new(receiver)
    }

    fn end(
        &self,
        key: Key,
        progress: &watch::Sender<Progress>,
        made: Result<Finished, ServiceError>,
    ) {
        let mut unfinished = self.unfinished();
        unfinished.remove(&key);
        progress.send_modify(|progress| {
            progress.end = Some(match made {
                Ok(Finished { last, whole }) => {
                    if let Some(whole) = whole {
                        self.kept.insert(key, whole);
                    }
                    progress.pieces.push(last);
                    Ok(())
                }
                Err(error) => Err(Arc::new(error)),
            });
        });
    }

    async fn abandoned(&self, key: Key, progress: &watch::Sender<Progress>) {
        loop {
            progress.closed().await;
            // Readers are only added under the lock.
            let mut unfinished = self.unfinished();
            if progress.is_closed() {
                unfinished.remove(&key);
                return;
            }
        }
    }
}

/// Writes an answer and passes all but its last piece to its readers.
fn make(
    form: Encoding,
    write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError>,
    (progress, answers): (&watch::Sender<Progress>, &Answers),
    stop: &Stop,
) -> Result<Finished, ServiceError> {
    let pieces = PieceWriter {
        packer: Packer::new(form).map_err(ServiceError::failed)?,
        progress,
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

struct PieceWriter<'a> {
    packer: Packer,
    progress: &'a watch::Sender<Progress>,
    answers: &'a Answers,
    stop: &'a Stop,
    waiting: usize,
    packed: usize,
}

impl PieceWriter<'_> {
    fn add(&mut self, text: &[u8]) -> Result<(), ServiceError> {
        self.stop.check()?;
        self.packer.write_all(text).map_err(ServiceError::failed)?;
        self.waiting += text.len();
        if self.waiting >= PIECE {
            self.waiting = 0;
            let packed = self.packer.take().map_err(ServiceError::failed)?;
            self.packed += packed.len();
            let piece = reserve(self.answers, packed, self.packed)?;
            self.progress
                .send_modify(|progress| progress.pieces.push(piece));
        }
        Ok(())
    }

    fn finish(self) -> Result<Finished, ServiceError> {
        self.stop.check()?;
        let packed = self.packer.finish().map_err(ServiceError::failed)?;
        let bytes = self.packed + packed.len();
        let last = reserve(self.answers, packed, bytes)?;
        let pieces = self.progress.borrow().pieces.clone();
        let whole = if pieces.is_empty() {
            Some(last.clone())
        } else {
            let whole = [pieces.concat(), last.to_vec()].concat();
            self.answers.hold(whole).ok()
        };
        Ok(Finished { last, whole })
    }
}

impl Write for PieceWriter<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.add(text).map_err(io::Error::other)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn reserve(answers: &Answers, piece: Vec<u8>, bytes: usize) -> Result<Bytes, ServiceError> {
    let limit = LARGEST_ANSWER;
    if bytes > limit {
        Err(ServiceError::LargeAnswer { limit })
    } else {
        answers.hold(piece)
    }
}

impl Reading {
    fn new(progress: watch::Receiver<Progress>) -> Self {
        Self { progress, next: 0 }
    }

    fn of_whole(whole: Bytes) -> Self {
        let progress = Progress {
            pieces: vec![whole],
            end: Some(Ok(())),
        };
        Self::new(watch::channel(progress).1)
    }

    /// The whole answer, if it consists of one piece that is finished when it is first seen.
    pub async fn whole(&mut self) -> Option<Bytes> {
        let is_begun = |progress: &Progress| !progress.pieces.is_empty() || progress.end.is_some();
        let progress = self.progress.wait_for(is_begun).await.ok()?;
        match (&*progress.pieces, &progress.end) {
            ([whole], Some(Ok(()))) => Some(whole.clone()),
            _ => None,
        }
    }

    /// The next piece; `None` at the end. Fails with the error that ended the answer early.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Arc<ServiceError>> {
        let at = self.next;
        let is_there = |progress: &Progress| progress.pieces.len() > at || progress.end.is_some();
        let Ok(progress) = self.progress.wait_for(is_there).await else {
            return Ok(None);
        };
        let piece = progress.pieces.get(at).cloned();
        match (piece, &progress.end) {
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
    /// A long answer in gzip or Zstandard, if it is cached or being written.
    pub fn bulk(&self, id: ViewId, form: Encoding) -> Option<Reading> {
        let found = self.bulks.find((id, form));
        count_look("bulk", found.is_some());
        found
    }

    /// A long answer in gzip or Zstandard. If necessary, `write` writes it while it has readers.
    pub fn make_bulk(
        &self,
        (id, form): (ViewId, Encoding),
        write: impl FnOnce(&Stop, &mut dyn Write) -> Result<(), ServiceError> + Send + 'static,
    ) -> Reading {
        let by = (&self.workers, &self.answers);
        self.bulks.find_or_write((id, form), by, write)
    }
}

#[cfg(test)]
mod tests;

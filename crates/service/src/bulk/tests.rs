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
    bulks: LongAnswers,
    workers: Workers,
    answers: Answers,
    made: Arc<AtomicUsize>,
}

impl Maker {
    fn new(answers: usize) -> Self {
        Self {
            bulks: LongAnswers::new(1 << 20),
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
            .find_or_write(key, (&self.workers, &self.answers), write)
    }

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
    assert!(maker.bulks.unfinished().is_empty());
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

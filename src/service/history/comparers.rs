//! The thread that compares commits while others are read and stored.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{LazyLock, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many threads compare commits. To compare two takes a little less time than to read one, and another
/// thread reads them one after the other, so a second one would only hold memory: what a thread has freed
/// stays with it. For the same reason it is kept from one handful of commits to the next.
const COMPARING: usize = 1;
/// How many comparisons run or wait: enough that reading does not wait for one that takes longer.
const PLACES: usize = 3;

struct Comparers {
    pool: ThreadPool,
    /// Holds an item for each comparison that runs or waits. So reading cannot run ahead, and memory holds a
    /// few revisions and not all.
    places: (SyncSender<()>, Mutex<Receiver<()>>),
}

/// `None` where there can be no threads.
static COMPARERS: LazyLock<Option<Comparers>> = LazyLock::new(|| {
    let pool = ThreadPoolBuilder::new().num_threads(COMPARING);
    let pool = pool.thread_name(|at| format!("opatlas-compare-{at}"));
    // Whoever waits for the result sees that it does not come.
    let pool = pool.panic_handler(|_| {}).build().ok()?;
    let (taken, free) = sync_channel(PLACES);
    Some(Comparers {
        pool,
        places: (taken, Mutex::new(free)),
    })
});

/// The right to run; given back also where a comparison panics.
struct Place<'a>(&'a Comparers);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let free = &self.0.places.1;
        let free = free.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = free.try_recv();
    }
}

/// Runs a comparison on the thread, once there is a place for it. Where there can be no thread it has been run
/// when this returns.
pub(super) fn begin(compare: impl FnOnce() + Send + 'static) {
    let Some(comparers) = &*COMPARERS else {
        return compare();
    };
    // The other end is never dropped.
    let _ = comparers.places.0.send(());
    let place = Place(comparers);
    comparers.pool.spawn(move || {
        let _place = place;
        compare();
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn reading_cannot_run_ahead_and_a_panic_loses_no_place() {
        let (begun, most_begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (send, ended) = mpsc::channel();
        for number in 0..100 {
            let (begun_here, send) = (Arc::clone(&begun), send.clone());
            let now = begun.fetch_add(1, Ordering::SeqCst) + 1;
            most_begun.fetch_max(now, Ordering::SeqCst);
            begin(move || {
                begun_here.fetch_sub(1, Ordering::SeqCst);
                assert!(number % 10 != 3, "in a test");
                let _ = send.send(number);
            });
        }
        drop(send);
        assert_eq!(ended.iter().count(), 90);
        assert!(most_begun.load(Ordering::SeqCst) <= PLACES + 1);
    }
}

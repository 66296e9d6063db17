//! Threads for work in two parts, and for what nobody waits for.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use opatlas_source::Pair;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::processors::Processor;

/// Runs the second part on another thread, and on another processor. All work of the process together runs
/// at most so many parts at the same time as there are processors, so a busy server does most work in turn,
/// which takes no longer then. An idle one reads and compares releases in little more than half the time.
///
/// The threads are those of a pool: what one has freed is there for its next part, while a new thread
/// would ask the system for fresh memory page by page. A thread of the pool that waits for its second part
/// takes up that of other work meanwhile, so nobody may run two parts while holding a lock, or from within
/// what makes the value of a `OnceLock`: the other work may need the same.
#[derive(Debug, Clone, Copy)]
pub struct Threads;

/// A thread per processor. `None` where there is one processor, which runs nothing at the same time, and
/// where the system has no more threads.
static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(processors);
    let pool = pool.thread_name(|at| format!("opatlas-part-{at}"));
    let pool = match CALLER_JOINS.load(Ordering::Relaxed) {
        true => pool.use_current_thread(),
        false => pool,
    };
    (processors > 1).then(|| pool.build().ok())?
});

/// Whether the thread that makes the pool becomes one of it.
static CALLER_JOINS: AtomicBool = AtomicBool::new(false);

/// How many threads run parts, and do not wait for others.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Whether every second part waits for the first.
static ALL_IN_TURN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread runs a part, and so is counted.
    static IS_COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// One of those that are busy; given back also where a part panics.
struct Place;

impl Place {
    /// A place for one more and where it is; `None` where all processors are busy.
    fn take() -> Option<(Self, &'static ThreadPool)> {
        if ALL_IN_TURN.load(Ordering::Relaxed) {
            return None;
        }
        let pool = POOL.as_ref()?;
        // Where no other thread runs parts than those of the pool, one more may wait for the next that has
        // ended its own.
        let waits = usize::from(CALLER_JOINS.load(Ordering::Relaxed));
        let most = pool.current_num_threads() + waits;
        let taken = BUSY.fetch_update(Ordering::AcqRel, Ordering::Acquire, |busy| {
            (busy < most).then_some(busy + 1)
        });
        // `then_some(Self)` would build and drop a place that was never taken, and so give one back.
        match taken {
            Ok(_) => Some((Self, pool)),
            Err(_) => None,
        }
    }

    /// That of a thread which runs anyway.
    fn of_running() -> Self {
        BUSY.fetch_add(1, Ordering::AcqRel);
        Self
    }

    /// Runs a part for which this place is.
    fn run(self, part: &mut (dyn FnMut() + Send)) {
        let _counted = Counted::new();
        part();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A thread that runs a part; it may be one that has a part already and waits for the second one.
struct Counted {
    before: bool,
}

impl Counted {
    fn new() -> Self {
        let before = IS_COUNTED.replace(true);
        Self { before }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        IS_COUNTED.set(self.before);
    }
}

/// A first part that has ended, and leaves its processor to others until its second part has ended. What its
/// thread takes up meanwhile is counted by itself: of another pool's work no place was taken.
struct Waiting;

impl Waiting {
    fn begin() -> Self {
        BUSY.fetch_sub(1, Ordering::AcqRel);
        IS_COUNTED.set(false);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        IS_COUNTED.set(true);
        BUSY.fetch_add(1, Ordering::AcqRel);
    }
}

impl Pair for Threads {
    fn run(&self, one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
        match IS_COUNTED.get() {
            true => run_both(one, other),
            false => Place::of_running().run(&mut || run_both(one, other)),
        }
    }
}

/// Runs two parts on a thread that is counted.
fn run_both(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    let Some((place, pool)) = Place::take() else {
        one();
        return other();
    };
    let (first, of_first) = (thread::current().id(), Processor::current());
    let is_over = AtomicBool::new(false);
    let mut waiting = None;
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            // The thread of the first part takes up this one too, once it waits for something.
            let is_beside = thread::current().id() != first && !is_over.load(Ordering::Acquire);
            if is_beside {
                of_first.leave();
            }
            place.run(other);
        });
        // Where the thread that takes the second part has come to this processor, it leaves now, and not
        // when the first part ends.
        thread::yield_now();
        one();
        is_over.store(true, Ordering::Release);
        waiting = Some(Waiting::begin());
    });
    drop(waiting);
}

impl Threads {
    /// Runs all parts in turn from now on, in a process that keeps its processors busy without. Then another
    /// thread only has to be woken for each, dozens of times for each commit of an import.
    pub fn all_in_turn() {
        ALL_IN_TURN.store(true, Ordering::Relaxed);
    }

    /// Makes this thread one of the pool, for a process with one thing to do: it runs a second part itself that no
    /// other thread has begun, and with one thread less there is less memory to take from the system. The other
    /// threads begin now, while there is nothing for them to do but to take theirs.
    pub fn with_this_one() {
        CALLER_JOINS.store(true, Ordering::Relaxed);
        LazyLock::force(&POOL);
    }

    /// Frees what was needed for an answer, while that is on its way: to free a comparison of two releases
    /// takes a tenth of the time to make it.
    pub fn free<T: Send + 'static>(self, value: T) {
        if let Some((place, pool)) = Place::take() {
            pool.spawn(move || {
                drop(value);
                drop(place);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use opatlas_operators::catalogue::Catalogue;
    use opatlas_pytorch::release::Release;
    use opatlas_source::{Bundle, DERIVATIVES, InTurn, NATIVE_FUNCTIONS, Stop, both};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    fn processors() -> usize {
        POOL.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    #[test]
    fn parts_have_a_bound_and_give_their_places_back() {
        let running = AtomicUsize::new(0);
        fn nested(depth: u32, running: &AtomicUsize) -> usize {
            if depth == 0 {
                assert!(running.fetch_add(1, Ordering::AcqRel) < processors());
                thread::yield_now();
                running.fetch_sub(1, Ordering::AcqRel);
                return 1;
            }
            let half = || nested(depth - 1, running);
            let (a, b) = both(&Threads, half, half);
            a + b
        }
        assert_eq!(nested(8, &running), 256);
        for panics in [0, 1] {
            let part = |at: usize| assert_ne!(at, panics, "in a test");
            let panicked = std::panic::catch_unwind(|| both(&Threads, || part(0), || part(1)));
            assert!(panicked.is_err());
            assert!(!IS_COUNTED.get());
        }
        assert_eq!(nested(1, &running), 2);
    }

    /// For tests that wait until no other one runs parts.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Other tests of this process hold places too, but not all the time.
    fn becomes(busy: usize) -> bool {
        (0..1000).any(|_| {
            let is_so = BUSY.load(Ordering::Acquire) == busy;
            if !is_so {
                thread::sleep(Duration::from_millis(10));
            }
            is_so
        })
    }

    #[test]
    fn a_place_is_free_again_while_the_first_part_runs() {
        let _alone = ALONE.lock();
        let (is_free, ()) = both(&Threads, || becomes(1), || ());
        assert!(is_free);
        (0..100).for_each(|_| Threads.free(vec![0_u8; 100]));
        assert!(becomes(0));
    }

    /// Whether another thread begins a part while this one waits for it.
    fn beside() -> bool {
        let (sender, receiver) = mpsc::channel();
        let wait = move || receiver.recv_timeout(PATIENCE).is_ok();
        let (came, sent) = both(&Threads, wait, || sender.send(()));
        came && sent.is_ok()
    }

    /// Other tests may hold all places for a while.
    #[test]
    fn a_second_part_has_the_processor_of_a_first_part_that_has_ended() {
        let _alone = ALONE.lock();
        let is_beside = || {
            let second = || becomes(1) && beside();
            both(&Threads, || (), second).1
        };
        assert!(processors() == 1 || (0..20).any(|_| is_beside()));
    }

    /// A thread of another pool takes up more work of that pool while it waits, which must not give back a place
    /// that it never took.
    #[test]
    fn what_a_waiting_thread_takes_up_counts_by_itself() {
        let _alone = ALONE.lock();
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let is_counted = || {
            let (sender, receiver) = mpsc::channel();
            rayon::spawn(move || {
                let _ = sender.send(IS_COUNTED.get());
            });
            let second = move || receiver.recv_timeout(PATIENCE).ok();
            both(&Threads, || (), second).1
        };
        // Other tests may hold all places, and then the second part runs on this thread.
        let seen = (0..20).find_map(|_| pool.install(is_counted));
        assert!(processors() == 1 || seen == Some(false), "{seen:?}");
        assert!(becomes(0));
    }

    /// Files with more entries than are read in one part: plain, broken in either half, and too long.
    #[test]
    fn two_threads_read_what_one_reads() {
        let entry = |at: usize| format!("- func: op{at}(Tensor self, int n) -> Tensor\n");
        let plain: String = (0..600).map(entry).collect();
        let broken_at = |broken: usize, text: &str| -> String {
            (0..600)
                .map(|at| match at == broken {
                    true => text.to_owned(),
                    false => entry(at),
                })
                .collect()
        };
        let many: String = (0..400)
            .map(|at| {
                let arguments: Vec<_> = (0..200).map(|n| format!("int a{n}")).collect();
                format!("- func: op{at}({}) -> ()\n", arguments.join(", "))
            })
            .collect();
        let texts = [
            plain,
            broken_at(20, "- func: [\n"),
            broken_at(500, "- &a func: f() -> ()\n"),
            broken_at(599, "- func: f(Tensor self -> ()\n"),
            many,
        ];
        for text in texts {
            let mut bundle = Bundle::default();
            bundle.insert(NATIVE_FUNCTIONS, text.into_bytes());
            let formulas = b"- name: op1(Tensor self, int n) -> Tensor\n  self: grad\n";
            bundle.insert(DERIVATIVES, formulas.to_vec());
            let [one, two] = [&InTurn as &dyn Pair, &Threads].map(|pair| {
                let stop = Stop::never();
                let read = Catalogue::read_until(&bundle, Release::LATEST, None, pair, &stop);
                read.expect("nothing stops it")
            });
            assert_eq!(
                format!("{:?}", one.native_functions),
                format!("{:?}", two.native_functions)
            );
            assert_eq!(
                format!("{:?}", one.operators),
                format!("{:?}", two.operators)
            );
            assert_eq!(
                format!("{:?}", one.derivatives),
                format!("{:?}", two.derivatives)
            );
        }
    }
}

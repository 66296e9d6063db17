//! Threads for work in two parts, and for what nobody waits for.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use opatlas_source::Pair;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::processors::Processor;

/// Runs the second part on another thread, and on another processor. All work of the process together has
/// at most so many second parts that there is a processor for each beside a first part, so a busy server does
/// most work in turn, which takes no longer then. An idle one reads and compares releases in little more than
/// half the time.
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

/// Whether the first thread that works in parts becomes one of the pool.
static CALLER_JOINS: AtomicBool = AtomicBool::new(false);

/// How many second parts run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// How many first parts have ended and wait for their second one.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Whether every second part waits for the first.
static ALL_IN_TURN: AtomicBool = AtomicBool::new(false);

/// The right to run one more; given back also where a part panics.
struct Place;

impl Place {
    /// A place and where it is; `None` where there is none left.
    fn take() -> Option<(Self, &'static ThreadPool)> {
        if ALL_IN_TURN.load(Ordering::Relaxed) {
            return None;
        }
        let pool = POOL.as_ref()?;
        // A first part runs beside them, unless it has ended.
        // One processor is that of the first part, until this has ended.
        let processors = pool.current_num_threads();
        let most = processors.min(processors - 1 + WAITING.load(Ordering::Acquire));
        let taken = RUNNING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |running| {
            (running < most).then_some(running + 1)
        });
        // `then_some(Self)` would build and drop a place that was never taken, and so give one back.
        match taken {
            Ok(_) => Some((Self, pool)),
            Err(_) => None,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A first part that has ended, and leaves its processor to others.
struct Waiting;

impl Waiting {
    fn begin() -> Self {
        WAITING.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Pair for Threads {
    fn run(&self, one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
        let Some((place, pool)) = Place::take() else {
            one();
            return other();
        };
        let (of_first, is_over) = (Processor::current(), AtomicBool::new(false));
        let mut waiting = None;
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // This may also be the thread of the first part, after that.
                if !is_over.load(Ordering::Acquire) {
                    of_first.leave();
                }
                other();
                // Before the first part ends, which may be in two parts itself.
                drop(place);
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
}

impl Threads {
    /// Runs all parts in turn from now on, in a process that keeps its processors busy without. Then another
    /// thread only has to be woken for each, dozens of times for each commit of an import.
    pub fn all_in_turn() {
        ALL_IN_TURN.store(true, Ordering::Relaxed);
    }

    /// Makes the first thread that works in parts from now on one of the pool, for a process with one thing to
    /// do: it runs a second part itself that no other thread has begun, and with one thread less there is less
    /// memory to take from the system.
    pub fn with_this_one() {
        CALLER_JOINS.store(true, Ordering::Relaxed);
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
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use opatlas_operators::catalogue::Catalogue;
    use opatlas_pytorch::release::Release;
    use opatlas_source::{Bundle, DERIVATIVES, InTurn, NATIVE_FUNCTIONS, Stop, both};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    #[test]
    fn second_parts_have_a_bound_and_give_their_places_back() {
        fn nested(depth: u32) -> usize {
            let seen = RUNNING.load(Ordering::Acquire);
            assert!(seen <= POOL.as_ref().map_or(0, ThreadPool::current_num_threads));
            match depth {
                0 => 1,
                _ => {
                    let (a, b) = both(&Threads, || nested(depth - 1), || nested(depth - 1));
                    a + b
                }
            }
        }
        assert_eq!(nested(6), 64);
        let panicked = std::panic::catch_unwind(|| both(&Threads, || (), || panic!("in a test")));
        assert!(panicked.is_err());
        assert_eq!(nested(1), 2);
    }

    /// Other tests of this process hold places too, but not all the time.
    fn becomes_idle() -> bool {
        (0..1000).any(|_| {
            let is_idle = RUNNING.load(Ordering::Acquire) == 0;
            if !is_idle {
                thread::sleep(Duration::from_millis(10));
            }
            is_idle
        })
    }

    #[test]
    fn a_place_is_free_again_while_the_first_part_runs() {
        let (is_free, ()) = both(&Threads, becomes_idle, || ());
        assert!(is_free);
        (0..100).for_each(|_| Threads.free(vec![0_u8; 100]));
        assert!(becomes_idle());
    }

    /// Another thread begins a part while this one waits for it. It has to come in time.
    fn beside() -> bool {
        let (sender, receiver) = mpsc::channel();
        let wait = move || receiver.recv_timeout(PATIENCE).is_ok();
        let (came, sent) = both(&Threads, wait, || sender.send(()));
        came && sent.is_ok()
    }

    /// Other tests may hold all places for a while.
    #[test]
    fn a_second_part_has_the_processor_of_a_first_part_that_has_ended() {
        let is_beside = || {
            let second = || {
                let end = Instant::now() + PATIENCE;
                while WAITING.load(Ordering::Acquire) == 0 && Instant::now() < end {}
                beside()
            };
            both(&Threads, || (), second).1
        };
        assert!(POOL.is_none() || (0..20).any(|_| is_beside()));
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

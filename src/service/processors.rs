//! Which processor a thread runs on.
//!
//! Linux wakes a thread on the processor that it last ran on, or on that of the thread that wakes it, and looks
//! for an idle one only among those that share a cache with them. Where each has its own, as in many virtual
//! machines, two threads then share a processor for 10 ms and more while another one is idle. So a thread
//! that is to run beside another moves away itself.

#[cfg(target_os = "linux")]
use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

/// A processor by its number; without meaning where the system does not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Processor(usize);

#[cfg(target_os = "linux")]
impl Processor {
    /// That of the calling thread.
    pub(super) fn current() -> Self {
        Self(sched_getcpu())
    }

    /// Moves the calling thread to another processor, if it runs on this one and may run on others. Later it
    /// may run wherever it might before.
    pub(super) fn leave(self) {
        if Self::current() != self {
            return;
        }
        let Ok(all) = sched_getaffinity(None) else {
            return;
        };
        let mut others = all;
        others.unset(self.0);
        // Where the system refuses, the thread stays, and the scheduler moves it at some time.
        if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &all);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Processor {
    /// That of the calling thread.
    pub(super) fn current() -> Self {
        Self(0)
    }

    /// Does nothing: it is not known where threads run.
    pub(super) fn leave(self) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_leaves_a_processor_and_may_come_back() {
        let all = sched_getaffinity(None).unwrap();
        let leaves = || {
            let before = Processor::current();
            before.leave();
            Processor::current() != before
        };
        // The scheduler may move it too, back for instance.
        assert!(all.count() == 1 || (0..100).any(|_| leaves()));
        assert_eq!(sched_getaffinity(None).unwrap(), all);
    }

    #[test]
    fn a_thread_that_is_elsewhere_stays() {
        let stays = || {
            let before = Processor::current();
            Processor(usize::MAX).leave();
            Processor::current() == before
        };
        assert!((0..100).any(|_| stays()));
    }

    /// A container may have only one.
    #[test]
    fn a_thread_with_one_processor_stays_there() {
        let one_alone = || {
            let mut only = sched_getaffinity(None).unwrap();
            only.clear();
            only.set(Processor::current().0);
            sched_setaffinity(None, &only).unwrap();
            Processor::current().leave();
            assert_eq!(sched_getaffinity(None).unwrap(), only);
        };
        std::thread::spawn(one_alone).join().unwrap();
    }
}

//! Pieces of a long answer that two threads make, and that are taken in their order.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::error::ServiceError;
use super::unused::Unused;

/// How many pieces are begun ahead of those that are taken.
const AHEAD: usize = 8;
/// How long it takes to send the first piece and to wake the client.
const SENDING: Duration = Duration::from_millis(1);
/// Empty buffers for the next pieces, of this answer or another.
static BUFFERS: Unused<Vec<u8>> = Unused::new(AHEAD + 2);
/// Larger ones are not kept, in bytes.
const LARGE: usize = 256 << 10;
/// The room of a new one, in bytes: those of a long comparison have 55,000 of changes, or 90,000 of cells, on average.
/// To grow there would copy them several times.
const ROOM: usize = 128 << 10;

/// Appends the text of a range of items.
pub type Make<'m> =
    dyn Fn(Range<usize>, &mut Vec<u8>) -> Result<(), ServiceError> + Send + Sync + 'm;
/// Makes what only a later piece needs, unless it is made.
pub type Aside<'m> = dyn Fn() + Send + Sync + 'm;
/// Takes the pieces one after the other.
pub(super) type Take<'m> = dyn FnMut(&[u8]) -> Result<(), ServiceError> + Send + 'm;

/// Pieces that are made ahead. The thread that took the last piece takes the next one where it is made, and else
/// begins another one. The other thread makes pieces, and takes one only where it has nothing to make, so that what taking
/// works in mostly stays in the caches of one processor. So no thread waits as long as there is something to do, be it
/// that the helper never comes, and little is left to take when the last piece is made.
pub(super) struct Ahead<'m> {
    /// How many items there are.
    count: usize,
    /// How many items are in the first piece and in the others.
    lengths: (usize, usize),
    make: &'m Make<'m>,
    aside: &'m Aside<'m>,
    /// Held by the thread that takes a piece.
    take: Mutex<&'m mut Take<'m>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first item that is in no piece yet.
    next: usize,
    /// The pieces that have been begun and not taken, in order; `None` where it is still being made.
    begun: VecDeque<Option<Vec<u8>>>,
    /// How many have been taken, or are being taken.
    taken: usize,
    /// Whether a thread takes one.
    is_taking: bool,
    /// Which one took the last.
    taker: Option<Who>,
    /// When the first one had been taken.
    since: Option<Instant>,
    /// A thread failed.
    is_over: bool,
    /// How many threads wait for a change: to wake nobody is a call of the system, too.
    waiting: usize,
    /// Why a piece could not be made or taken.
    error: Option<ServiceError>,
}

/// A piece to be made: its number, its items, and where to write it.
struct Piece {
    number: usize,
    items: Range<usize>,
    text: Vec<u8>,
}

/// One of the two threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Leader,
    Helper,
}

/// What a thread does next.
enum Step {
    Make(Piece),
    Take(Vec<u8>),
}

/// Ends the work of the other thread where its own panics.
struct Failing<'a, 'm>(Option<&'a Ahead<'m>>);

impl Drop for Failing<'_, '_> {
    fn drop(&mut self) {
        if let Some(ahead) = self.0 {
            let mut state = ahead.state();
            state.is_over = true;
            ahead.tell(&state);
        }
    }
}

impl<'m> Ahead<'m> {
    /// Pieces of so many items, the first one and the others. `aside` is the helper's, while the first piece is
    /// made.
    pub(super) fn new(
        count: usize,
        lengths: (usize, usize),
        (make, aside): (&'m Make<'m>, &'m Aside<'m>),
        take: &'m mut Take<'m>,
    ) -> Self {
        Self {
            count,
            lengths,
            make,
            aside,
            take: Mutex::new(take),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Makes and takes pieces until there is nothing left to do, or only what the helper is at.
    pub(super) fn lead(&self) {
        let mut failing = Failing(Some(self));
        self.work(Who::Leader, self.state());
        failing.0 = None;
    }

    /// Makes what a later piece needs, then does the same. The first piece is left to who leads: somebody waits for
    /// it, and it would have to wait for the second one if the other thread made that meanwhile.
    pub(super) fn help(&self) {
        let mut failing = Failing(Some(self));
        let is_left = |it: &State| !it.is_over && it.next < self.count;
        if is_left(&self.state()) {
            (self.aside)();
        }
        let is_first = |it: &mut State| it.since.is_none() && it.next < self.count;
        let mut state = self.wait_while(self.state(), is_first);
        let sent = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        if is_left(&state) && sent < SENDING {
            drop(state);
            // With all processors busy the first piece would wait for one before it is sent.
            thread::sleep(SENDING - sent);
            state = self.state();
        }
        self.work(Who::Helper, state);
        failing.0 = None;
    }

    /// Whether all pieces were taken, once both threads are done.
    ///
    /// # Errors
    /// Why one of them could not be made or taken.
    pub(super) fn result(self) -> Result<(), ServiceError> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }

    fn work<'s>(&'s self, who: Who, mut state: MutexGuard<'s, State>) {
        while !state.is_over {
            if let Some(step) = self.next(who, &mut state) {
                drop(state);
                state = match step {
                    Step::Make(piece) => self.finish(piece),
                    Step::Take(text) => self.take(text),
                };
            } else if state.next < self.count {
                // The next piece is being made, or one is taken, and enough are made ahead.
                let is_full = |it: &mut State| {
                    let is_ready = matches!(it.begun.front(), Some(Some(_)));
                    it.begun.len() >= AHEAD && (it.is_taking || !is_ready)
                };
                state = self.wait_while(state, is_full);
            } else {
                // The other thread makes or takes what is left, and looks for more after that.
                return;
            }
        }
    }

    fn next(&self, who: Who, state: &mut State) -> Option<Step> {
        let takes = state.taker.is_none_or(|taker| taker == who);
        let own = if takes { Self::pop(who, state) } else { None };
        own.or_else(|| self.begin(state).map(Step::Make))
            .or_else(|| Self::pop(who, state))
    }

    /// The next piece to take, where it is made and nobody takes one.
    fn pop(who: Who, state: &mut State) -> Option<Step> {
        if state.is_taking {
            return None;
        }
        let text = state
            .begun
            .pop_front_if(|front| front.is_some())
            .flatten()?;
        (state.is_taking, state.taker) = (true, Some(who));
        state.taken += 1;
        Some(Step::Take(text))
    }

    /// Begins the next piece, where there is one and few enough are made ahead.
    fn begin(&self, state: &mut State) -> Option<Piece> {
        if state.next >= self.count || state.begun.len() >= AHEAD {
            return None;
        }
        let from = state.next;
        let length = if from == 0 {
            self.lengths.0
        } else {
            self.lengths.1
        };
        let to = self.count.min(from + length.max(1));
        state.next = to;
        state.begun.push_back(None);
        Some(Piece {
            number: state.taken + state.begun.len() - 1,
            items: from..to,
            text: BUFFERS.take().unwrap_or_else(|| Vec::with_capacity(ROOM)),
        })
    }

    fn finish(&self, mut piece: Piece) -> MutexGuard<'_, State> {
        let made = (self.make)(piece.items, &mut piece.text);
        let mut state = self.state();
        match made {
            Ok(()) => {
                let place = piece.number - state.taken;
                if let Some(place) = state.begun.get_mut(place) {
                    *place = Some(piece.text);
                }
            }
            Err(error) => Self::fail(&mut state, error),
        }
        self.tell(&state);
        state
    }

    fn take(&self, mut text: Vec<u8>) -> MutexGuard<'_, State> {
        let taken = {
            let mut take = self.take.lock().unwrap_or_else(PoisonError::into_inner);
            take(&text)
        };
        if text.capacity() <= LARGE {
            text.clear();
            BUFFERS.give(text);
        }
        let mut state = self.state();
        state.is_taking = false;
        state.since.get_or_insert_with(Instant::now);
        if let Err(error) = taken {
            Self::fail(&mut state, error);
        }
        self.tell(&state);
        state
    }

    fn fail(state: &mut State, error: ServiceError) {
        state.is_over = true;
        state.error.get_or_insert(error);
    }

    /// Waits as long as this is so and the work is not over.
    fn wait_while<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        mut is_so: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let waits = |it: &mut State| !it.is_over && is_so(it);
        let woken = self.changed.wait_while(state, waits);
        let mut state = woken.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes who waits for a change.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn write(items: Range<usize>, text: &mut Vec<u8>) -> Result<(), ServiceError> {
        items.for_each(|item| text.extend(format!("{item},").bytes()));
        Ok(())
    }

    /// What is taken of pieces of these lengths, and whether that is all.
    fn all(
        count: usize,
        lengths: (usize, usize),
        (make, aside): (&Make<'_>, &Aside<'_>),
        with_helper: bool,
    ) -> (String, Result<(), ServiceError>) {
        let mut all = Vec::new();
        let mut take = |text: &[u8]| {
            all.extend_from_slice(text);
            Ok(())
        };
        let ahead = Ahead::new(count, lengths, (make, aside), &mut take);
        thread::scope(|scope| {
            if with_helper {
                scope.spawn(|| ahead.help());
            }
            ahead.lead();
        });
        let result = ahead.result();
        (String::from_utf8(all).unwrap(), result)
    }

    fn expected(count: usize) -> String {
        (0..count).map(|item| format!("{item},")).collect()
    }

    #[test]
    fn pieces_come_in_order_with_a_helper_and_without() {
        for count in [0, 1, 3, 4, 5, 100, 1000, 20_000] {
            for with_helper in [false, true] {
                let (text, result) = all(count, (3, 7), (&write, &|| ()), with_helper);
                assert_eq!(text, expected(count));
                assert!(result.is_ok());
            }
        }
    }

    #[test]
    fn few_pieces_are_made_ahead_of_one_that_is_taken() {
        let made = AtomicUsize::new(0);
        let count = |items: Range<usize>, _: &mut Vec<u8>| {
            made.fetch_add(items.len(), Ordering::Relaxed);
            Ok(())
        };
        let made = || made.load(Ordering::Relaxed);
        let (mut seen, mut taken) = (0, 0);
        let mut take = |_: &[u8]| {
            taken += 1;
            if taken == 1 {
                // Somebody waits for the first one, so the helper does, too.
                thread::sleep(Duration::from_millis(20));
                assert_eq!(made(), 1);
            } else if taken == 2 {
                while made() < 2 + AHEAD {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_millis(20));
                seen = made();
            }
            Ok(())
        };
        let ahead = Ahead::new(1000, (1, 1), (&count, &|| ()), &mut take);
        thread::scope(|scope| {
            scope.spawn(|| ahead.help());
            ahead.lead();
        });
        assert!(ahead.result().is_ok());
        assert_eq!((seen, taken, made()), (2 + AHEAD, 1000, 1000));
    }

    #[test]
    fn the_thread_that_took_the_last_piece_takes_the_next_one() {
        let mut take = |_: &[u8]| Ok(());
        let ahead = Ahead::new(3, (1, 1), (&write, &|| ()), &mut take);
        let next = |who| {
            let step = {
                let mut state = ahead.state();
                ahead.next(who, &mut state)
            };
            match step {
                Some(Step::Make(piece)) => {
                    drop(ahead.finish(piece));
                    "made"
                }
                Some(Step::Take(text)) => {
                    drop(ahead.take(text));
                    "taken"
                }
                None => "nothing",
            }
        };
        let steps = [
            (Who::Helper, "made"),
            // Nobody has taken one so far.
            (Who::Leader, "taken"),
            (Who::Helper, "made"),
            (Who::Helper, "made"),
            (Who::Leader, "taken"),
            // There is nothing left to make.
            (Who::Helper, "taken"),
            (Who::Leader, "nothing"),
        ];
        for (who, step) in steps {
            assert_eq!(next(who), step, "{who:?}");
        }
    }

    #[test]
    fn a_thread_that_panics_ends_the_answer() {
        for panics in ["helper", "leader"] {
            let made = AtomicUsize::new(0);
            let fails = |items: Range<usize>, text: &mut Vec<u8>| {
                let is_first = made.fetch_add(1, Ordering::Relaxed) == 0;
                let panics = thread::current().name() == Some(panics);
                assert!(is_first || !panics, "in a test");
                // The other one is to have a piece of its own.
                thread::sleep(Duration::from_millis(2));
                write(items, text)
            };
            let mut taken = 0;
            let mut take = |text: &[u8]| {
                taken += text.len();
                Ok(())
            };
            let ahead = Ahead::new(10_000, (1, 1), (&fails, &|| ()), &mut take);
            thread::scope(|scope| {
                let named = |name: &str| thread::Builder::new().name(name.to_owned());
                let helper = named("helper").spawn_scoped(scope, || ahead.help());
                let leader = named("leader").spawn_scoped(scope, || ahead.lead());
                let ended = [("helper", helper), ("leader", leader)];
                for (name, thread) in ended {
                    assert_eq!(thread.unwrap().join().is_err(), name == panics);
                }
            });
            drop(ahead);
            assert!(taken < expected(10_000).len());
        }
    }

    #[test]
    fn a_piece_that_cannot_be_made_or_taken_ends_the_answer_with_its_error() {
        let fails = |items: Range<usize>, text: &mut Vec<u8>| match items.contains(&400) {
            true => Err(ServiceError::Busy),
            false => write(items, text),
        };
        for with_helper in [false, true] {
            let (text, result) = all(10_000, (3, 7), (&fails, &|| ()), with_helper);
            assert!(expected(400).starts_with(&text), "{text}");
            assert!(matches!(result, Err(ServiceError::Busy)));
            let mut pieces = 0;
            let mut take = |_: &[u8]| {
                pieces += 1;
                match pieces {
                    40 => Err(ServiceError::Busy),
                    _ => Ok(()),
                }
            };
            let ahead = Ahead::new(10_000, (3, 7), (&write, &|| ()), &mut take);
            thread::scope(|scope| {
                if with_helper {
                    scope.spawn(|| ahead.help());
                }
                ahead.lead();
            });
            assert!(matches!(ahead.result(), Err(ServiceError::Busy)));
            assert_eq!(pieces, 40);
        }
    }

    #[test]
    fn what_a_later_piece_needs_is_made_beside_the_first() {
        let (sender, receiver) = mpsc::sync_channel(1);
        let receiver = Mutex::new(receiver);
        let aside = move || sender.send(()).unwrap();
        let first_waits = |items: Range<usize>, text: &mut Vec<u8>| {
            if items.contains(&0) {
                receiver.lock().unwrap().recv().unwrap();
            }
            write(items, text)
        };
        let (text, result) = all(10, (1, 1), (&first_waits, &aside), true);
        assert_eq!(text, expected(10));
        assert!(result.is_ok());
    }
}

//! Pieces of a long answer that two threads make, and that one of them takes in their order.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::error::ServiceError;
use super::unused::Unused;

/// How many pieces are made ahead of the one that is taken.
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

/// Pieces that are made ahead. Who takes them makes one itself where the next is not there, so that
/// nothing waits for the helper to come; the helper may never come.
pub(super) struct Ahead<'m> {
    /// How many items there are.
    count: usize,
    /// How many items are in the first piece and in the others.
    lengths: (usize, usize),
    make: &'m Make<'m>,
    aside: &'m Aside<'m>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first item that is in no piece yet.
    next: usize,
    /// The pieces that have been begun and not taken, in order; `None` where it is still being made.
    begun: VecDeque<Option<Vec<u8>>>,
    /// How many have been taken.
    taken: usize,
    /// When the first one was.
    since: Option<Instant>,
    /// Nobody takes any more, or a thread failed.
    is_over: bool,
    /// How many threads wait for a change: to wake nobody is a call of the system, too.
    waiting: usize,
    /// Why a piece could not be made, for who takes the next one.
    error: Option<ServiceError>,
}

/// A piece to be made: its number, its items, and where to write it.
struct Piece {
    number: usize,
    items: Range<usize>,
    text: Vec<u8>,
}

/// Ends the work when it goes, be it that its thread panics.
pub(super) struct Ending<'a, 'm>(Option<&'a Ahead<'m>>);

impl Drop for Ending<'_, '_> {
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
    ) -> Self {
        Self {
            count,
            lengths,
            make,
            aside,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// For who takes the pieces: the helper leaves when it goes.
    pub(super) fn ending(&self) -> Ending<'_, 'm> {
        Ending(Some(self))
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// Why it, or one of the next ones, cannot be made.
    pub(super) fn take(&self) -> Result<Option<Vec<u8>>, ServiceError> {
        loop {
            let mut state = self.state();
            while let Some(None) = state.begun.front() {
                // The helper makes it. Meanwhile another one can be made.
                if let Some(piece) = self.begin(&mut state) {
                    drop(state);
                    self.finish(piece);
                    state = self.state();
                } else {
                    let is_being_made = |it: &mut State| matches!(it.begun.front(), Some(None));
                    state = self.wait_while(state, is_being_made);
                    if state.is_over {
                        return state.error.take().map_or(Ok(None), Err);
                    }
                }
            }
            if let Some(made) = state.begun.pop_front() {
                state.taken += 1;
                state.since.get_or_insert_with(Instant::now);
                self.tell(&state);
                return Ok(made);
            }
            let Some(piece) = self.begin(&mut state) else {
                return state.error.take().map_or(Ok(None), Err);
            };
            drop(state);
            self.finish(piece);
        }
    }

    /// Keeps a buffer of a piece for another one.
    pub(super) fn give_back(mut text: Vec<u8>) {
        if text.capacity() <= LARGE {
            text.clear();
            BUFFERS.give(text);
        }
    }

    /// Makes what a later piece needs, then pieces until there is none left to begin. The first one is left to
    /// who takes it: somebody waits for it, and it would have to wait for the second one if the other thread
    /// made that meanwhile.
    pub(super) fn help(&self) {
        let mut failing = self.ending();
        let is_over = self.state().is_over;
        if !is_over {
            (self.aside)();
        }
        let is_first = |it: &mut State| it.taken == 0 && it.next < self.count;
        let mut state = self.wait_while(self.state(), is_first);
        let sent = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        if !state.is_over && state.next < self.count && sent < SENDING {
            drop(state);
            // With all processors busy the first piece would wait for one before it is sent.
            thread::sleep(SENDING - sent);
            state = self.state();
        }
        while !state.is_over && state.next < self.count {
            if let Some(piece) = self.begin(&mut state) {
                drop(state);
                self.finish(piece);
                state = self.state();
            } else {
                state = self.wait_while(state, |it| it.begun.len() >= AHEAD);
            }
        }
        drop(state);
        // It has not failed.
        failing.0 = None;
    }

    /// Begins the next piece, where there is one and few enough are made ahead.
    fn begin(&self, state: &mut State) -> Option<Piece> {
        if state.next >= self.count || state.begun.len() >= AHEAD || state.is_over {
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

    fn finish(&self, mut piece: Piece) {
        let made = (self.make)(piece.items, &mut piece.text);
        let mut state = self.state();
        let place = piece.number - state.taken;
        if let Err(error) = made {
            (state.is_over, state.error) = (true, Some(error));
        } else if let Some(place) = state.begun.get_mut(place) {
            *place = Some(piece.text);
        }
        self.tell(&state);
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

    use super::*;

    fn write(items: Range<usize>, text: &mut Vec<u8>) -> Result<(), ServiceError> {
        items.for_each(|item| text.extend(format!("{item},").bytes()));
        Ok(())
    }

    fn of<'m>(count: usize, lengths: (usize, usize), make: &'m Make<'m>) -> Ahead<'m> {
        Ahead::new(count, lengths, (make, &|| ()))
    }

    fn all(ahead: &Ahead<'_>) -> String {
        let _ending = ahead.ending();
        let mut all = Vec::new();
        while let Some(piece) = ahead.take().unwrap() {
            all.extend(&piece);
            Ahead::give_back(piece);
        }
        String::from_utf8(all).unwrap()
    }

    fn expected(count: usize) -> String {
        (0..count).map(|item| format!("{item},")).collect()
    }

    #[test]
    fn pieces_come_in_order_with_a_helper_and_without() {
        for count in [0, 1, 3, 4, 5, 100, 1000] {
            let alone = of(count, (3, 7), &write);
            assert_eq!(all(&alone), expected(count));
            let with_helper = of(count, (3, 7), &write);
            thread::scope(|scope| {
                scope.spawn(|| with_helper.help());
                assert_eq!(all(&with_helper), expected(count));
            });
        }
    }

    #[test]
    fn few_pieces_are_made_ahead_and_none_when_nobody_takes_them() {
        let made = AtomicUsize::new(0);
        let count = |items: Range<usize>, _: &mut Vec<u8>| {
            made.fetch_add(items.len(), Ordering::Relaxed);
            Ok(())
        };
        let ahead = of(1000, (1, 1), &count);
        let made = || made.load(Ordering::Relaxed);
        thread::scope(|scope| {
            let helper = scope.spawn(|| ahead.help());
            thread::sleep(Duration::from_millis(20));
            assert_eq!(made(), 0, "the first piece is not the helper's");
            assert!(ahead.take().unwrap().is_some());
            while made() < 1 + AHEAD {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(20));
            assert_eq!(made(), 1 + AHEAD);
            drop(ahead.ending());
            helper.join().unwrap();
        });
        assert_eq!(made(), 1 + AHEAD);
    }

    #[test]
    fn a_helper_that_fails_ends_the_answer() {
        let fails = |items: Range<usize>, text: &mut Vec<u8>| {
            let is_helper = thread::current().name() == Some("helper");
            assert!(!is_helper, "in a test");
            // The helper is to have a piece of its own.
            thread::sleep(Duration::from_millis(2));
            write(items, text)
        };
        let ahead = of(10_000, (1, 1), &fails);
        thread::scope(|scope| {
            let helper = thread::Builder::new().name("helper".to_owned());
            let helper = helper.spawn_scoped(scope, || ahead.help()).unwrap();
            assert_ne!(all(&ahead), expected(10_000));
            assert!(helper.join().is_err());
        });
    }

    #[test]
    fn a_piece_that_cannot_be_made_ends_the_answer_with_its_error() {
        let fails = |items: Range<usize>, text: &mut Vec<u8>| match items.contains(&40) {
            true => Err(ServiceError::Busy),
            false => write(items, text),
        };
        for with_helper in [false, true] {
            let ahead = of(1000, (3, 7), &fails);
            thread::scope(|scope| {
                if with_helper {
                    scope.spawn(|| ahead.help());
                }
                let _ending = ahead.ending();
                let error = loop {
                    match ahead.take() {
                        Ok(piece) => assert!(piece.is_some(), "it has an end"),
                        Err(error) => break error,
                    }
                };
                assert!(matches!(error, ServiceError::Busy), "{error}");
            });
        }
    }

    #[test]
    fn what_a_later_piece_needs_is_made_before_the_first_is_taken() {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let aside = move || sender.send(()).unwrap();
        let ahead = Ahead::new(10, (1, 1), (&write, &aside));
        thread::scope(|scope| {
            scope.spawn(|| ahead.help());
            receiver.recv().unwrap();
            assert_eq!(all(&ahead), expected(10));
        });
    }
}

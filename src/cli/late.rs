//! Commands whose arguments are described to the parser only when the command is called.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// Whether all arguments are described at once.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Describes the arguments of all commands from now on, for who lists them.
pub(super) fn describe_all() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

/// The arguments of a command. To describe those of all twenty takes a millisecond, which is a
/// twentieth of the time of a short command; so those of the others are left out. What a command
/// does is said at its variant, for the list of commands has it in any case.
#[derive(Debug)]
pub(super) struct Late<T>(pub(super) T);

impl<T: Args> Args for Late<T> {
    fn augment_args(command: Command) -> Command {
        match AT_ONCE.load(Ordering::Relaxed) {
            true => describe(command, T::augment_args),
            false => command.defer(|command| describe(command, T::augment_args)),
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        describe(command, T::augment_args_for_update)
    }
}

/// Adds the arguments and keeps what is said of the command.
fn describe(command: Command, add: fn(Command) -> Command) -> Command {
    let about = Resettable::from(command.get_about().cloned());
    let long_about = Resettable::from(command.get_long_about().cloned());
    add(command).about(about).long_about(long_about)
}

impl<T: FromArgMatches> FromArgMatches for Late<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

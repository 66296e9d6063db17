//! The checks, by family. Tables and documentation are in `registry`.

mod annotations;
mod arguments;
mod autogen;
pub(super) mod autograd;
mod backends;
mod bindings;
mod conventions;
mod defaults;
mod derivatives;
mod dispatch;
mod fields;
mod grammar;
mod group_tags;
mod loading;
mod out_naming;
mod overloads;
mod returns;
mod sources;
mod structured;
mod tags;
mod types;
mod variants;
mod vendors;
mod views;

use crate::scope::Scope;
use crate::sink::Sink;

pub use sources::{
    KernelFit, SourceCheck, UnknownKernel, check_sources, expects_alike, kernel_fits,
};

pub(super) type Check = fn(&Scope<'_>, &mut Sink);

/// All checks in order. `autogen` depends on the errors found before it.
#[rustfmt::skip]
pub(super) static CHECKS: &[Check] = &[
    readings,
    grammar::entries,
    fields::entries,
    annotations::entries,
    arguments::entries,
    types::entries,
    out_naming::entries,
    defaults::entries,
    returns::entries,
    variants::entries,
    tags::entries,
    dispatch::entries,
    structured::entries,
    conventions::entries,
    grammar::check,
    overloads::check,
    dispatch::check,
    structured::check,
    autogen::check,
    derivatives::check,
    group_tags::check,
    views::check,
    bindings::check,
    conventions::check,
    backends::check,
    vendors::check,
    sources::check,
    loading::entries,
];

fn readings(scope: &Scope<'_>, sink: &mut Sink) {
    for placed in sink.while_wanted(scope.entries()) {
        for diagnostic in &placed.entry.diagnostics {
            sink.entry(placed, diagnostic.clone());
        }
        sink.more(&placed.entry.diagnostics);
    }
}

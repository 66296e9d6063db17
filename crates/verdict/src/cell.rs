//! The verdict on a cell of the calculator, which knows registrations but no operator.

use opatlas_dispatch::{Cell, Precedence};
use opatlas_pytorch::keys::Keys;

use crate::because::Because;
use crate::server::is_meta;
use crate::{Support, Verdict};

/// The support behind a cell. What a composite kernel calls is unknown without its operator.
#[must_use]
pub fn of_cell(keys: &Keys, cell: &Cell<'_>) -> Support {
    match cell.rule {
        Precedence::Missing | Precedence::Ambiguous => Support::of(Verdict::Fails),
        // The fallback of `Meta` raises.
        Precedence::Fallback if is_meta(keys, cell.slot) => Support::of(Verdict::Fails),
        _ if cell.fallthrough => Support::because(Verdict::Unknown, Because::PassesOn),
        Precedence::Fallback => Support::of(Verdict::FallsBack),
        Precedence::Direct | Precedence::Autograd | Precedence::Batched => {
            Support::of(Verdict::Runs)
        }
        Precedence::NonFunctional
        | Precedence::Explicit
        | Precedence::Implicit
        | Precedence::Nested => Support::because(Verdict::Unknown, Because::Unmeasured),
    }
}

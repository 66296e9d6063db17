//! Which fates are better than others on a way, and what a new operator lacks.

use std::cmp::Ordering;

use opatlas_operators::operator::OperatorId;

use super::{Fate, Way};
use crate::{Shift, View};

impl Fate {
    /// How well a way serves an operator; `None` if it is not known.
    const fn rank(self) -> Option<u8> {
        Some(match self {
            Self::Unknown => return None,
            Self::No | Self::Raises | Self::None | Self::Banned => 0,
            Self::FallsBack
            | Self::ImplicitFallback
            | Self::Kept
            | Self::ProxyExecutor
            | Self::Passes => 1,
            Self::Partly | Self::Fallback => 2,
            Self::Yes
            | Self::NotDifferentiable
            | Self::Rule
            | Self::Python
            | Self::Kernel
            | Self::Decomposes
            | Self::Functional
            | Self::View
            | Self::Generated
            | Self::Composite
            | Self::ByDefault
            | Self::Core
            | Self::OnRequest
            | Self::Decomposed
            | Self::Lowered
            | Self::Shim
            | Self::Stable
            | Self::Custom
            | Self::LowerPrecisionFp
            | Self::Fp32
            | Self::Fp32SetOptDtype
            | Self::Fp32AppendDtype
            | Self::Promote => 3,
        })
    }

    /// Compares this fate with a later one. An unknown fate is neither lost nor gained.
    #[must_use]
    pub fn shift(self, after: Self) -> Shift {
        let (Some(was), Some(is)) = (self.rank(), after.rank()) else {
            return Shift::Same;
        };
        match was.cmp(&is) {
            Ordering::Greater => Shift::Lost,
            Ordering::Less => Shift::Gained,
            Ordering::Equal if self == after => Shift::Same,
            Ordering::Equal => Shift::OtherKind,
        }
    }
}

impl View<'_> {
    /// Missing pieces of a new operator on the ways to run it, with their effects.
    #[must_use]
    pub fn lacks(self, id: OperatorId) -> Vec<&'static str> {
        let operator = self.inputs.catalogue.operator(id);
        let is_of_aten = !operator.name_text().contains("::");
        let is_core = operator.has_tag("core");
        let ways = [Way::Meta, Way::Functionalize, Way::Vmap, Way::Inductor].into_iter();
        let fates = ways.filter_map(|way| Some((way, self.fate(id, way)?)));
        fates
            .filter_map(|fate| {
                Some(match fate {
                    (Way::Meta, Fate::None) if is_of_aten => {
                        "no Meta kernel: the meta device and export need one"
                    }
                    (Way::Meta, Fate::None) => {
                        "no Meta kernel: torch.compile and export need one, or a fake implementation"
                    }
                    (Way::Functionalize, Fate::Raises) => {
                        "no functional form: functionalization raises"
                    }
                    (Way::Vmap, Fate::FallsBack) => "no batching rule: vmap loops",
                    (Way::Vmap, Fate::Raises) => "no batching rule: vmap raises",
                    (Way::Inductor, Fate::ImplicitFallback) if is_core => {
                        "no lowering or decomposition, which an operator tagged core must have"
                    }
                    (Way::Inductor, Fate::ImplicitFallback) => {
                        "no lowering: Inductor calls the eager kernel"
                    }
                    _ => return None,
                })
            })
            .collect()
    }
}

//! Calls from Python that PyTorch's argument parser rejects.

use super::{devices, names};
use crate::kind::{Asks, Kind};
use crate::reading::Reading;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "python-arguments",
        titles: &[
            "The arguments of this call of {op} do not fit any of its signatures",
            "The arguments of the call do not fit the function",
        ],
        patterns: &[
            "{name}(): argument '{word}' (position {number}) must be {text}, not {text2}",
            "{name}(): argument '{word}' must be {text}, not {text2}",
            "{name}() received an invalid combination of arguments - got {text}, but expected",
            "{name}() received an invalid combination of arguments",
            "{op}() expected a value of type '{text}' for argument '{word}' but instead found type '{text2}'",
            "{name}() takes {count} positional argument",
            "{name}() missing {number} required positional argument",
            "{name}() got an unexpected keyword argument '{word}'",
            "{name}() got multiple values for argument '{word}'",
        ],
        refine: called,
        causes: &[
            "`{word}` must be {text}, and it is {text2}",
            "It got {text}",
            "`{word}` is not an argument of this function in the release that you run.",
        ],
        advice: &[
            "Compare the call with the signatures: `opatlas call {op} \"...\"` shows which one it takes.",
            "If it worked in another release: look at the history of {op} for its arguments.",
            "If a library makes the call: install versions of it and of PyTorch that belong together.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "missing-function",
        titles: &[
            "This release of PyTorch does not have `torch.{module}.{name}`",
            "This release of PyTorch does not have `torch.{name}`",
            "This release of PyTorch has no method `{method}` of `Tensor`",
        ],
        patterns: &[
            "module 'torch' has no attribute '{name}'",
            "module 'torch.{module}' has no attribute '{name}'",
            "'tensor' object has no attribute '{method}'",
            "cannot import name '{name}' from 'torch",
            "type object 'torch._c._{text}' has no attribute '{name}'",
        ],
        asks: Asks::Exists,
        refine: |reading| {
            let name = reading
                .part("name")
                .or_else(|| reading.part("method"))
                .map(str::to_owned);
            let is_attribute = reading.part("module").is_none();
            match name
                .as_deref()
                .filter(|it| is_attribute && names::is_outside(it))
            {
                Some(device) => devices::without_backend(reading, device),
                None => names::function(reading, name.as_deref()),
            }
        },
        causes: &[
            "The code was written for a newer or an older release, or the name is misspelled. A file `torch.py` of your own hides PyTorch as well.",
        ],
        advice: &["Install the release that the code was written for, or change the call."],
        ..Kind::ERROR
    },
];

/// Takes the function as the operator if the message is of PyTorch's parser, or if the text calls it
/// as a function of PyTorch. Python's own functions have the same messages.
fn called(reading: &mut Reading<'_>) {
    let Some(name) = reading.part("name").map(str::to_owned) else {
        return;
    };
    let called = |prefix| reading.mentions(&format!("{prefix}.{name}(").to_ascii_lowercase());
    let is_called =
        name.starts_with("torch.") || ["torch", "f", "functional"].into_iter().any(called);
    if reading.part("text").is_some() || is_called {
        names::function(reading, Some(&name));
    }
    if reading.operator.is_none() {
        reading.way = crate::Way::None;
    }
}

//! Annotations of types: aliasing and mutation.

use opatlas_source::diagnostic::RuleId;

use super::{Example, Kind, Text};

const fn annotation(id: &'static str, summary: &'static str) -> Text {
    Text::new(id, Kind::Annotation, summary)
}

pub(super) const TEXTS: &[Text] = &[
    Text {
        body: &[
            "A letter in parentheses names a set of tensors that may share memory. `Tensor(a) self` and a return \
             `Tensor(a)` say that the return may be a view of `self`.",
            "Without an annotation a return is new memory. A return that aliases without being written makes \
             the operator a view, for which autograd, functionalization and view copies have rules.",
        ],
        examples: &[Example::accepted(
            "- func: turned(Tensor(a) self, int dim0, int dim1) -> Tensor(a)\n",
        )],
        names: &["(a)", "Tensor(a)", "annotation", "annotations"],
        see: &["write-annotation", "wildcard-annotation", "alias-sets"],
        ..annotation(
            "alias-annotation",
            "`(a)`: values with the same letter may share memory.",
        )
    },
    Text {
        body: &[
            "`!` behind the letter says that the operator may write to the tensor. An in-place operator \
             annotates `self` and returns it; an out variant annotates its keyword-only out arguments and \
             returns them, in order.",
            "Each mutable argument needs a letter of its own.",
        ],
        differs: Some(
            "Older versions of the README write `Tensor!` as a shorthand. No release accepts it.",
        ),
        examples: &[
            Example::accepted(
                "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  variants: method\n",
            ),
            Example::refused(
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor\n",
                RuleId::OutReturnMatches,
            ),
        ],
        names: &["(a!)", "Tensor(a!)", "!"],
        see: &[
            "alias-annotation",
            "autogen",
            "use_const_ref_for_mutable_tensors",
        ],
        ..annotation(
            "write-annotation",
            "`(a!)`: the operator may write to the value.",
        )
    },
    Text {
        body: &[
            "`(a -> *)`: after the call the argument may alias anything. It is written where a list of views is \
             returned, because what is in a list may alias any memory.",
            "An argument in the wildcard set makes the operator a view.",
        ],
        examples: &[Example::accepted(
            "- func: pieces(Tensor(a -> *) self, int count, int dim=0) -> Tensor(a)[]\n",
        )],
        names: &["(a -> *)", "Tensor(a -> *)"],
        see: &["alias-annotation", "list"],
        ..annotation(
            "wildcard-annotation",
            "`(a -> *)`: the value enters the wildcard set.",
        )
    },
    Text {
        body: &[
            "`(a! -> a|b)`: the tensor is in set `a`, is written, and is in both sets after the call. `set_` and \
             its like need it, which put one tensor's memory under another.",
        ],
        differs: Some(
            "The README shows two sets behind the arrow. torchgen reads more, but accepts only one letter before the arrow.",
        ),
        names: &["(a! -> a|b)", "a|b"],
        see: &["alias-annotation", "write-annotation"],
        ..annotation(
            "alias-sets",
            "`(a! -> a|b)`: the sets that a value is in after the call.",
        )
    },
];

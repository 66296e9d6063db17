//! The guide to a dispatch key: questions about a kernel that lead to its YAML and table.

use std::borrow::Cow;

use opatlas_dispatch::{Build, Inputs, RevisionTables, Source, View};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;

/// A question about a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Its name.
    pub id: &'static str,
    /// The question.
    pub text: &'static str,
    /// How to find the answer.
    pub help: &'static str,
    /// The answers.
    pub answers: &'static [Answer],
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its text.
    pub text: &'static str,
    /// The next step.
    pub next: Next,
}

/// The step after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The question of this name.
    Question(&'static str),
    /// The outcome of this name.
    Outcome(&'static str),
}

/// The result of the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Its name.
    pub id: &'static str,
    /// The keys to use.
    pub title: &'static str,
    /// The consequence.
    pub text: &'static str,
    /// An example entry; variants follow it.
    pub yaml: &'static str,
}

/// Keys with the same kernel for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The keys, in table order.
    pub keys: Vec<&'static str>,
    /// The kernel, if there is one.
    pub kernel: Option<String>,
    /// Why it serves the keys.
    pub reason: &'static str,
}

/// Questions and outcomes.
#[derive(Debug, Clone, Copy)]
pub struct Guide {
    /// The questions; the first one begins.
    pub questions: &'static [Question],
    /// The outcomes.
    pub outcomes: &'static [Outcome],
}

impl Guide {
    /// Finds an outcome.
    #[must_use]
    pub fn outcome(&self, id: &str) -> Option<&'static Outcome> {
        self.outcomes.iter().find(|outcome| outcome.id == id)
    }

    /// Finds a question.
    #[must_use]
    pub fn question(&self, id: &str) -> Option<&'static Question> {
        self.questions.iter().find(|question| question.id == id)
    }
}

impl Outcome {
    /// The dispatch table of the entry, grouped by kernel and reason, in table order.
    #[must_use]
    pub fn table(&self, release: Release) -> Vec<Row> {
        let bundle = Bundle::of_native_functions(self.yaml.as_bytes());
        let catalogue = Catalogue::read(&bundle, release, None);
        let inputs = Inputs::of_files(&catalogue);
        let tables = RevisionTables::new(inputs, &Build::default(), Source::Everything);
        let operator = catalogue.native().next();
        let cells = operator
            .into_iter()
            .flat_map(|(id, _)| View::new(inputs, &tables).table(id));
        let mut rows: Vec<Row> = Vec::new();
        for cell in cells {
            let kernel = cell.kernel.map(Cow::into_owned);
            let reason = cell.reason.as_str();
            let same = rows
                .iter_mut()
                .find(|row| row.kernel == kernel && row.reason == reason);
            match same {
                Some(row) => row.keys.push(cell.key),
                None => rows.push(Row {
                    keys: vec![cell.key],
                    kernel,
                    reason,
                }),
            }
        }
        rows
    }
}

/// The guide to a dispatch key.
pub const GUIDE: Guide = Guide {
    questions: &[
        Question {
            id: "backends",
            text: "Does one kernel work for all backends?",
            help: "It does if it only calls operators (`at::...`). It does not if it reads memory, contains \
                   code for one backend, or uses DispatchStub, which only has the backends that were \
                   registered for it.",
            answers: &[
                Answer {
                    text: "Yes, it only calls operators",
                    next: Next::Question("autograd"),
                },
                Answer {
                    text: "No, each backend has its own",
                    next: Next::Question("fallback"),
                },
            ],
        },
        Question {
            id: "fallback",
            text: "Is there also a version that is made of other operators?",
            help: "Backends without a kernel of their own, such as out-of-tree ones, can run that version.",
            answers: &[
                Answer {
                    text: "No",
                    next: Next::Question("structured"),
                },
                Answer {
                    text: "Yes, and it is differentiable by its calls",
                    next: Next::Outcome("backend-kernels-and-composite"),
                },
                Answer {
                    text: "Yes, but its gradient needs a formula",
                    next: Next::Outcome("backend-kernels-and-default"),
                },
            ],
        },
        Question {
            id: "structured",
            text: "Can the sizes of the result be computed without the data?",
            help: "Then one function can check the arguments and compute the sizes for all backends, for the \
                   out variant and for meta tensors: a structured kernel.",
            answers: &[
                Answer {
                    text: "Yes, and I want functional, in-place and out variants",
                    next: Next::Outcome("structured"),
                },
                Answer {
                    text: "No, or one variant is enough",
                    next: Next::Outcome("backend-kernels"),
                },
            ],
        },
        Question {
            id: "autograd",
            text: "Are all operators that it calls differentiable?",
            help: "Out variants are not, and neither are operators without a formula.",
            answers: &[
                Answer {
                    text: "Yes",
                    next: Next::Question("formula"),
                },
                Answer {
                    text: "No",
                    next: Next::Question("aliasing"),
                },
            ],
        },
        Question {
            id: "formula",
            text: "Do you want a formula of your own all the same?",
            help: "A formula can be faster or numerically better than the gradient of the calls.",
            answers: &[
                Answer {
                    text: "No, differentiate the calls",
                    next: Next::Outcome("composite"),
                },
                Answer {
                    text: "Yes",
                    next: Next::Question("aliasing"),
                },
            ],
        },
        Question {
            id: "aliasing",
            text: "Does the kernel call a view, although the operator itself does not alias its arguments?",
            help: "`select_backward` is an example: it returns new memory, and calls `select`. XLA and Lazy want \
                   to implement such operators themselves.",
            answers: &[
                Answer {
                    text: "Yes",
                    next: Next::Outcome("non-functional"),
                },
                Answer {
                    text: "No",
                    next: Next::Outcome("default"),
                },
            ],
        },
    ],
    outcomes: &[
        Outcome {
            id: "composite",
            title: "No dispatch section: CompositeImplicitAutograd",
            text: "The function `lerp3` serves all backends, and autograd differentiates its calls. No formula is \
                   needed. It must follow the rules of composite functions.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n",
        },
        Outcome {
            id: "default",
            title: "CompositeExplicitAutograd",
            text: "The kernel serves all backends in inference. Training needs a formula in derivatives.yaml; \
                   without one the backward pass raises an error.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    \
                   CompositeExplicitAutograd: lerp3\n  autogen: lerp3.out\n",
        },
        Outcome {
            id: "non-functional",
            title: "CompositeExplicitAutogradNonFunctional",
            text: "The kernel serves all backends in inference, except those that do not decompose into views. \
                   Training needs a formula in derivatives.yaml.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    \
                   CompositeExplicitAutogradNonFunctional: lerp3\n  autogen: lerp3.out\n",
        },
        Outcome {
            id: "backend-kernels",
            title: "One key for each backend",
            text: "List every backend that has a kernel. All other backends raise an error. Training needs a formula \
                   in derivatives.yaml.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    CPU: lerp3_cpu\n    \
                   CUDA: lerp3_cuda\n    QuantizedCPU: lerp3_quantized_cpu\n  autogen: lerp3.out\n",
        },
        Outcome {
            id: "backend-kernels-and-composite",
            title: "Backend keys and CompositeImplicitAutograd",
            text: "The backends with a kernel use it, and need a formula for training: on their autograd keys is a \
                   generated kernel, not the composite. All other backends run and differentiate the composite. It \
                   must be listed, because it is the default only without a dispatch section. torchgen generates no \
                   variants for it, so it has no `autogen`.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    CPU: lerp3_cpu\n    \
                   CUDA: lerp3_cuda\n    CompositeImplicitAutograd: lerp3\n",
        },
        Outcome {
            id: "backend-kernels-and-default",
            title: "Backend keys and CompositeExplicitAutograd",
            text: "The backends with a kernel use it, all others run the default kernel. Training needs a formula in \
                   derivatives.yaml, which then serves all of them.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    CPU: lerp3_cpu\n    \
                   CUDA: lerp3_cuda\n    CompositeExplicitAutograd: lerp3\n  autogen: lerp3.out\n",
        },
        Outcome {
            id: "structured",
            title: "A structured out variant, and one key for each backend",
            text: "Write `meta` once and `impl` for each backend. The functional and the in-place variant, and the \
                   kernel for meta tensors, are generated. Training needs a formula in derivatives.yaml. The \
                   table is that of the functional variant.",
            yaml: "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  structured_delegate: lerp3.out\n  \
                   variants: function, method\n\
                   - func: lerp3_(Tensor(a!) self, Tensor a, Tensor b) -> Tensor(a!)\n  structured_delegate: lerp3.out\n  \
                   variants: method\n\
                   - func: lerp3.out(Tensor self, Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)\n  \
                   structured: True\n  dispatch:\n    CPU: lerp3_out_cpu\n    CUDA: lerp3_out_cuda\n",
        },
    ],
};

//! The signatures behind one Python name.

use opatlas_pytorch::python::{self, HandSignature, Then};
use opatlas_pytorch::python_functions;
use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Arguments, CallError, Parser, ParserRules, Value};

use super::name::Place;
use super::reach::recorded;
use super::{Called, Outcome, hand, overloads};
use crate::catalogue::Catalogue;

/// A name that Python binds.
#[derive(Debug)]
pub struct Binding {
    /// The module or class.
    pub place: Place,
    /// The name, such as `add` or `__radd__`.
    pub name: String,
    /// Function, method or property.
    pub kind: BindingKind,
    /// `true` if a `TypeError` becomes `NotImplemented`, as for `__add__`.
    pub returns_not_implemented: bool,
    /// The signatures in the order in which the parser tries them. Empty for a property.
    pub signatures: Vec<BindingSignature>,
    release: Release,
    /// The operator that a property reads, or the operators that a function answers for.
    answers_for: Vec<&'static str>,
}

/// The kind of object that a name is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// A function.
    Function,
    /// A method of a tensor.
    Method,
    /// An attribute of a tensor. Python code reads it and does not call it.
    Property,
}

/// A signature that the argument parser tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingSignature {
    /// The signature in the parser's syntax.
    pub text: String,
    /// The operator that it calls. `None` if the signature is handwritten.
    pub operator: Option<String>,
    /// The operator that it calls with `out`.
    pub out: Option<String>,
    /// The name of the parameter `out`.
    out_parameter: Option<String>,
    /// The handwritten signature, if PyTorch's developers wrote it.
    pub by_hand: Option<&'static HandSignature>,
    /// `true` if the C++ function is handwritten (`manual_cpp_binding`) and runs no operator.
    pub answers_directly: bool,
}

impl BindingSignature {
    /// `true` if it comes from `deprecated.yaml` or is marked as deprecated.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.text.ends_with("|deprecated")
    }
}

impl Binding {
    /// Finds the binding of a name at a place.
    #[must_use]
    pub fn of(catalogue: &Catalogue, place: Place, name: &str) -> Option<Self> {
        let alias = match place {
            Place::Torch => python::function_alias(name),
            Place::Tensor => python::method_alias(name),
            Place::Python | Place::Module(_) => None,
        };
        let bound = alias.unwrap_or(name);
        let by_hand = hand::binding(&place, bound, catalogue.release);
        if place == Place::Python && by_hand.is_none() && !is_recorded(name, catalogue.release) {
            return None;
        }
        let property = hand::property(&place, name);
        let signatures = match (by_hand, property) {
            (Some(binding), _) if !binding.signatures.is_empty() => {
                let signatures = binding.signatures.iter();
                signatures.map(BindingSignature::by_hand).collect()
            }
            (_, Some(_)) => Vec::new(),
            (_, None) => generated(catalogue, &place, bound),
        };
        if signatures.is_empty() && property.is_none() && place != Place::Python {
            return None;
        }
        let answers_for = by_hand.map_or(&[][..], |binding| binding.operators);
        Some(Self {
            kind: match (&place, property) {
                (_, Some(_)) => BindingKind::Property,
                (Place::Tensor, None) => BindingKind::Method,
                (_, None) => BindingKind::Function,
            },
            returns_not_implemented: place == Place::Tensor && is_operand(name),
            place,
            name: name.to_owned(),
            signatures: deprecated_last(signatures),
            release: catalogue.release,
            answers_for: answers_for.iter().copied().chain(property).collect(),
        })
    }

    /// `true` if PyTorch's developers wrote it by hand.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        let mut signatures = self.signatures.iter();
        self.kind == BindingKind::Property || signatures.any(|it| it.by_hand.is_some())
    }

    /// `true` for a function that is written in Python and has no handwritten signatures. Its signatures
    /// are those of the binding that it replaces, if there is one; it takes other arguments.
    #[must_use]
    pub fn is_in_python(&self) -> bool {
        self.place == Place::Python && !self.is_by_hand()
    }

    /// Its name with the place: `torch.add`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.place, self.name)
    }

    /// `true` if a call can run the operator or answers for it.
    #[must_use]
    pub fn reaches(&self, operator: &str) -> bool {
        self.answers_for.contains(&operator)
            || self
                .signatures
                .iter()
                .any(|signature| signature.reaches(operator))
    }

    /// Returns the signatures that run an operator. If the binding answers for it, returns all of
    /// them.
    pub fn signatures_of(&self, operator: &str) -> impl Iterator<Item = &BindingSignature> {
        let answers = self.answers_for.contains(&operator);
        let signatures = self.signatures.iter();
        signatures.filter(move |signature| answers || signature.reaches(operator))
    }

    /// The operator that a property reads.
    #[must_use]
    pub fn property_of(&self) -> Option<&'static str> {
        let is_property = self.kind == BindingKind::Property;
        self.answers_for.first().copied().filter(|_| is_property)
    }

    pub(super) fn outcome(&self, arguments: &Arguments) -> Result<Outcome, CallError> {
        if self.is_in_python() {
            let called = recorded::first(&self.name, self.release, arguments);
            return Ok(Outcome::InPython(called));
        }
        let mut arguments = arguments.clone();
        if self.kind == BindingKind::Method {
            self.take_tensor(&mut arguments)?;
        }
        if self.kind == BindingKind::Property {
            let message = format!("'Tensor' property '{}' is not callable", self.name);
            return Err(CallError::of_type(message));
        }
        let texts = self.signatures.iter().map(|signature| &*signature.text);
        let rules = ParserRules {
            shows_defaults: self.release >= Release::V2_4,
        };
        let parser = Parser::new(texts, rules)?;
        let chosen = parser.parse(&arguments)?;
        let signature = &self.signatures[chosen.index];
        let called = match signature.by_hand {
            Some(by_hand) => hand::called(by_hand, &chosen.bound)?,
            None => {
                let out = signature.out_parameter.as_deref();
                let is_out = out.is_some_and(|name| chosen.bound.value(name).is_some());
                let operator = if is_out {
                    &signature.out
                } else {
                    &signature.operator
                };
                let runs = operator.clone().filter(|_| !signature.answers_directly);
                runs.map_or(Called::Nothing, Called::Operator)
            }
        };
        Ok(Outcome::Takes {
            signature: chosen.index,
            called,
        })
    }

    /// Removes the tensor from the arguments of a method. Python does this before the parser runs.
    fn take_tensor(&self, arguments: &mut Arguments) -> Result<(), CallError> {
        let name = &self.name;
        if arguments.positional.is_empty() {
            let message = format!("unbound method TensorBase.{name}() needs an argument");
            return Err(CallError::of_type(message));
        }
        let tensor = arguments.positional.remove(0);
        if !matches!(tensor, Value::Tensor(_)) {
            return Err(CallError::of_type(format!(
                "descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{}' object",
                tensor.class()
            )));
        }
        let takes_nothing = match &self.signatures[..] {
            [only] => only.text.ends_with("()"),
            _ => false,
        };
        if !takes_nothing {
            return Ok(());
        }
        let given = arguments.positional.len();
        let problem = if !arguments.keywords.is_empty() {
            "no keyword arguments".to_owned()
        } else if given > 0 {
            format!("no arguments ({given} given)")
        } else {
            return Ok(());
        };
        let message = format!("TensorBase.{name}() takes {problem}");
        Err(CallError::of_type(message))
    }
}

impl BindingSignature {
    fn by_hand(signature: &'static HandSignature) -> Self {
        Self {
            text: signature.text.to_owned(),
            operator: None,
            out: None,
            out_parameter: None,
            by_hand: Some(signature),
            answers_directly: false,
        }
    }

    /// The operators that it calls, each with whether it needs `out`.
    pub(super) fn operators(&self) -> Vec<(String, bool)> {
        let own = self.operator.iter().map(|name| (name.clone(), false));
        let out = self.out.iter().map(|name| (name.clone(), true));
        let calls = self.by_hand.map_or(&[][..], |signature| signature.calls);
        let by_hand = calls.iter().filter_map(|call| match call.then {
            Then::Calls(operator) => Some((operator.to_owned(), false)),
            _ => None,
        });
        own.chain(out).chain(by_hand).collect()
    }

    fn reaches(&self, operator: &str) -> bool {
        let is = |name: &Option<String>| name.as_deref() == Some(operator);
        let calls = self.by_hand.map_or(&[][..], |signature| signature.calls);
        let mut calls = calls.iter().map(|call| call.then);
        is(&self.operator)
            || is(&self.out)
            || calls.any(|then| matches!(then, Then::Calls(called) if called == operator))
    }
}

/// True if it is recorded what a function of `torch` calls, because it is written in Python.
fn is_recorded(name: &str, release: Release) -> bool {
    !name.contains('.') && python_functions::find(&format!("torch.{name}"), release).is_some()
}

/// Returns the generated signatures of a name.
fn generated(catalogue: &Catalogue, place: &Place, name: &str) -> Vec<BindingSignature> {
    let name_of = |id| catalogue.operator(id).qualified_name().to_owned();
    let place = match place {
        Place::Python => &Place::Torch,
        place => place,
    };
    let overloads = overloads::of_name(catalogue, place, name).into_iter();
    let signatures = overloads.map(|overload| BindingSignature {
        out_parameter: overload.signature.out_name().map(str::to_owned),
        text: overload.text,
        operator: Some(name_of(overload.base)),
        out: overload.out.map(name_of),
        by_hand: None,
        answers_directly: catalogue.operator(overload.base).has_manual_cpp_binding(),
    });
    signatures.collect()
}

fn deprecated_last(signatures: Vec<BindingSignature>) -> Vec<BindingSignature> {
    let (last, mut all): (Vec<_>, Vec<_>) = signatures
        .into_iter()
        .partition(BindingSignature::is_deprecated);
    all.extend(last);
    all
}

/// `true` if Python calls the method for a binary operator such as `+`.
fn is_operand(name: &str) -> bool {
    let is_special = name.starts_with("__") && name.ends_with("__");
    is_special && !["__abs__", "__getitem__", "__neg__", "__pos__"].contains(&name)
}

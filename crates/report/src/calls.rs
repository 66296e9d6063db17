//! Prints a call of a Python binding for terminals.

use std::fmt::Write as _;

use opatlas_operators::calls::{
    Binding, BindingKind, BindingSignature, Called, Outcome, Reach, ReachedOperator,
};

use crate::escape;

/// Prints the signatures of a binding in the order in which PyTorch tries them, and the result of a
/// call with the given arguments.
#[must_use]
pub fn call(binding: &Binding, release: &str, given: Option<(&str, &Outcome)>) -> String {
    let name = binding.full_name();
    let mut text = format!("{} in PyTorch {release}\n", escape::line(&name));
    if let Some(operator) = binding.property_of() {
        let _ = writeln!(
            text,
            "\nA property: it is read, not called. It reads {operator}."
        );
        return text;
    }
    text.push_str(match binding.is_in_python() {
        true if binding.signatures.is_empty() => "\nWritten in Python\n",
        true => "\nWritten in Python, with other arguments than the binding that it replaces\n",
        false => "\nSignatures, in the order in which PyTorch tries them\n",
    });
    for (at, signature) in binding.signatures.iter().enumerate() {
        let _ = writeln!(text, "  {}  {}", at + 1, escape::line(&signature.text));
        let runs = operators(signature);
        if !runs.is_empty() {
            let _ = writeln!(text, "     {}", escape::line(&runs));
        }
    }
    if let Some((arguments, outcome)) = given {
        let call = format!("{name}({arguments})");
        let _ = writeln!(
            text,
            "\n{}\n  {}",
            escape::line(&call),
            sentence(binding, outcome)
        );
    }
    text
}

/// Prints the operators that a line of Python reaches.
#[must_use]
pub fn line(line: &str, release: &str, reach: &Reach) -> String {
    let mut text = format!("{} in PyTorch {release}\n", escape::line(line));
    let reached = match reach {
        Reach::Reached(reached) => reached,
        Reach::Raises { function, error } => {
            let function = escape::line(function);
            let _ = writeln!(
                text,
                "\n{function}\n  raises {}: {}",
                error.class,
                escape::line(error.first_line())
            );
            return text;
        }
        Reach::Unknown(why) => {
            let _ = writeln!(text, "\nNot known: {}", escape::line(why));
            return text;
        }
    };
    let _ = writeln!(text, "\n{}", escape::line(&reached.function));
    for (title, operators) in [
        ("calls", &reached.operators),
        ("below autograd", &reached.below),
        ("in the backward", &reached.backward),
    ] {
        if !operators.is_empty() {
            let _ = writeln!(text, "  {title}");
            operators
                .iter()
                .for_each(|operator| text.push_str(&reached_line(operator)));
        }
    }
    for note in &reached.notes {
        let _ = writeln!(text, "{}", escape::line(note));
    }
    text
}

fn reached_line(operator: &ReachedOperator) -> String {
    let name = escape::line(&operator.name);
    match &operator.when {
        None => format!("    {name}\n"),
        Some(when) => format!("    {name}, if {}\n", escape::line(when)),
    }
}

/// The operators that a signature calls.
fn operators(signature: &BindingSignature) -> String {
    if signature.by_hand.is_some() {
        return "handwritten".to_owned();
    }
    let base = signature.operator.iter().cloned();
    let out = signature.out.iter().map(|out| format!("{out} with `out`"));
    base.chain(out).collect::<Vec<_>>().join("; ")
}

fn sentence(binding: &Binding, outcome: &Outcome) -> String {
    let (signature, called) = match outcome {
        Outcome::Takes { signature, called } => (signature, called),
        Outcome::InPython(Called::Operator(name)) => {
            return format!(
                "is written in Python and calls {} first",
                escape::line(name)
            );
        }
        Outcome::InPython(_) => {
            return "is written in Python; which operator it calls first is not known".to_owned();
        }
        Outcome::NotImplemented => {
            return "returns NotImplemented, so Python tries the other operand".to_owned();
        }
        Outcome::Raises(error) => {
            let mut lines = error.message.lines().map(escape::line);
            let first = lines.next().unwrap_or_default();
            let mut text = format!("raises {}: {first}", error.class);
            for line in lines {
                let _ = write!(text, "\n    {line}");
            }
            return text;
        }
    };
    let number = signature + 1;
    let deprecated = match binding.signatures.get(*signature) {
        Some(taken) if taken.is_deprecated() => ", which is deprecated,",
        _ => "",
    };
    match called {
        Called::Operator(name) => {
            format!(
                "takes signature {number}{deprecated} and calls {}",
                escape::line(name)
            )
        }
        Called::Nothing => format!("takes signature {number}{deprecated} and calls no operator"),
        Called::Unknown => format!(
            "takes signature {number}{deprecated}; which operator it calls depends on the values"
        ),
    }
}

/// Returns the word for a kind of binding.
#[must_use]
pub fn kind(kind: BindingKind) -> &'static str {
    match kind {
        BindingKind::Function => "function",
        BindingKind::Method => "method",
        BindingKind::Property => "property",
    }
}

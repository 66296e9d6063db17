//! A line of Python instead of a message: which operators it reaches, as far as recordings and names
//! tell without the declarations of a release (`docs/spec/calls.md`, section 6).

use opatlas_pytorch::Release;
use opatlas_pytorch::python_functions::{self, Phase};
use opatlas_schema::python_call::{Expression, Statement};
use opatlas_source::sentence::codes;
use opatlas_source::{Message, message};

use crate::{Advice, Answer, PYTHON_CALL, Severity, Way, name};

/// Names by which people import modules of PyTorch.
const MODULES: [(&str, &str); 7] = [
    ("F", "torch.nn.functional"),
    ("nn", "torch.nn"),
    ("init", "torch.nn.init"),
    ("linalg", "torch.linalg"),
    ("special", "torch.special"),
    ("fft", "torch.fft"),
    ("sparse", "torch.sparse"),
];

/// The answer to a line of Python; `None` if the text is not one, or calls nothing of PyTorch's.
pub(crate) fn of(text: &str) -> Option<Answer> {
    let Ok(Statement::Expression(line)) = Statement::read(text.trim()) else {
        return None;
    };
    let name = called(&line)?;
    let function = whole(&name);
    let operators = recorded(&function).or_else(|| named(&function, &name, &line))?;
    let mut distinct: Vec<&str> = operators.iter().map(|operator| &*operator.name).collect();
    distinct.dedup();
    let reached = Message::join(operators.iter().map(reached), "; ");
    let advice = message!(
        "For the overload that these arguments take, and the operators below it: `opatlas call '{}'`.",
        text.trim()
    );
    Some(Answer {
        kind: PYTHON_CALL,
        severity: Severity::Info,
        title: message!("`{}` reaches {}", function, codes(&distinct)),
        operator: (distinct.len() == 1).then(|| distinct[0].to_owned()),
        key: None,
        way: Way::Eager,
        release: None,
        cause: message!("The call runs {}.", reached),
        advice: vec![Advice {
            releases: None,
            text: advice,
        }],
        since: None,
        fails_in: None,
        fixed_in: None,
        works_in_all: false,
        misleads: None,
        rule: None,
        message: None,
        read: Vec::new(),
    })
}

/// An operator that a call runs.
struct Operator {
    name: String,
    /// The condition.
    when: Option<String>,
    /// Each call that meets the condition runs it.
    is_certain: bool,
}

impl Operator {
    fn certain(name: String) -> Self {
        Self {
            name,
            when: None,
            is_certain: true,
        }
    }
}

fn reached(operator: &Operator) -> Message {
    let name = &operator.name;
    match (&operator.when, operator.is_certain) {
        (Some(when), true) => message!("`{}` if `{}`", name, when),
        (Some(when), false) => message!("`{}` in some calls with `{}`", name, when),
        (None, true) => Message::code(name),
        (None, false) => message!("`{}` in some calls", name),
    }
}

/// The name of the function or method of the outermost call, or of a function without a call.
fn called(line: &Expression) -> Option<String> {
    match line {
        Expression::Call(function, _) => match &**function {
            Expression::Call(..) => called(function),
            Expression::Attribute(of, method) if of.dotted().is_none() => {
                Some(format!("x.{method}"))
            }
            _ => function.dotted(),
        },
        _ => line.dotted(),
    }
}

/// The full name: `torch.nn.functional.relu` of `F.relu`.
fn whole(name: &str) -> String {
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    match MODULES.iter().find(|(alias, _)| *alias == first) {
        Some((_, module)) => format!("{module}.{rest}"),
        None => name.to_owned(),
    }
}

/// What recorded calls of a function that is written in Python run.
fn recorded(function: &str) -> Option<Vec<Operator>> {
    let found = python_functions::find(function, Release::LATEST)?;
    let calls = found.calls(Phase::Top).map(|call| {
        let sign = |is_equal| if is_equal { "=" } else { "!=" };
        let when = call.when.iter();
        let when = when.map(|it| format!("{}{}{}", it.parameter, sign(it.is_equal), it.value));
        let when: Vec<_> = when.collect();
        let when = (!when.is_empty()).then(|| when.join(", "));
        Operator {
            name: call.operator.to_owned(),
            when,
            is_certain: call.is_certain,
        }
    });
    Some(calls.collect()).filter(|calls: &Vec<_>| !calls.is_empty())
}

/// The operator that a function of `torch` or a method of a tensor is named after.
fn named(function: &str, written: &str, line: &Expression) -> Option<Vec<Operator>> {
    if let Some(operator) = function.strip_prefix("torch.ops.") {
        let operator = name::operator(&format!("torch.ops.{operator}"))?;
        return Some(vec![Operator::certain(operator)]);
    }
    let is_torch = function.starts_with("torch.");
    let is_method = matches!(line, Expression::Call(..)) && written.matches('.').count() == 1;
    let last = function.rsplit('.').next()?;
    let is_known = (is_torch || is_method) && name::is_base(last);
    is_known.then(|| vec![Operator::certain(last.to_owned())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_python_are_told_from_words() {
        for (text, operator) in [
            ("x.add_(y)", Some("add_")),
            ("torch.cat([a, b])", Some("cat")),
            ("torch.ops.aten.add.Tensor(x, y)", Some("add.Tensor")),
            ("nn.Linear(3, 4)(x)", Some("linear")),
        ] {
            let answer = of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(answer.operator.as_deref(), operator, "{text}");
        }
        let relu = of("F.relu(x, inplace=True)").unwrap();
        assert!(
            relu.title.contains("torch.nn.functional.relu"),
            "{}",
            &*relu.title
        );
        for text in [
            "hello",
            "example.com",
            "a b",
            "",
            "x + ",
            "print(x)",
            "os.path.join(a)",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}

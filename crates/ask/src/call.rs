//! A line of Python instead of a message: which operators it reaches, and where these work. The
//! declarations of a release choose overloads (`docs/spec/calls.md`, section 6). Without them, recordings
//! and names tell.

use opatlas_operators::calls::{Reach, ReachedOperator, reach};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::Release;
use opatlas_pytorch::python_functions::{self, Phase};
use opatlas_schema::python_call::{Expression, Statement};
use opatlas_source::sentence::codes;
use opatlas_source::{Message, Span, message};
use opatlas_verdict::Answer as Works;
use opatlas_verdict::releases::{self, Place};

use crate::{Advice, Answer, PYTHON_CALL, Part, Severity, Way, name, render};

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

/// The backends that an answer is about.
const BACKENDS: [&str; 4] = ["CPU", "CUDA", "MPS", "XPU"];

/// The operators behind a line of Python.
struct Reached {
    function: String,
    /// The operators that it calls itself.
    operators: Vec<Operator>,
    /// The operators below autograd; empty if nobody recorded them.
    below: Vec<Operator>,
    notes: Vec<String>,
}

/// The answer to a line of Python; `None` if the text is not one, or calls nothing of PyTorch's.
/// `catalogue` has the declarations of the newest release, if there are any.
pub(crate) fn of(text: &str, catalogue: Option<&Catalogue>) -> Option<Answer> {
    let line = text.trim();
    Statement::read(line).ok()?;
    let declared = catalogue.and_then(|catalogue| declared(catalogue, line));
    let reached = declared.or_else(|| by_names(line))?;
    let mut distinct: Vec<&str> = reached.operators.iter().map(|it| &*it.name).collect();
    distinct.dedup();
    let backends = BACKENDS.iter().filter(|_| !distinct.is_empty());
    let advice = backends.map(|key| works(&distinct, &reached.below, key));
    let notes = reached.notes.iter().map(|note| noted(note));
    let advice = advice.chain(notes).map(|text| Advice {
        releases: None,
        text,
    });
    let start = text.len() - text.trim_start().len();
    let span = Span::new(offset(start), offset(start + line.len()));
    Some(Answer {
        kind: PYTHON_CALL,
        severity: Severity::Info,
        title: match distinct.is_empty() {
            true => message!("`{}` runs no operator", reached.function),
            false => message!("`{}` reaches {}", reached.function, codes(&distinct)),
        },
        operator: (distinct.len() == 1).then(|| distinct[0].to_owned()),
        key: None,
        way: Way::Eager,
        release: None,
        cause: cause(&reached),
        advice: advice.collect(),
        since: None,
        fails_in: None,
        fixed_in: None,
        works_in_all: false,
        misleads: None,
        rule: None,
        message: None,
        read: vec![Part { what: "call", span }],
    })
}

/// The operators of a call, and those below them.
fn cause(reached: &Reached) -> Message {
    if reached.operators.is_empty() {
        return "The call reads what is stored about the tensor, not its values, or only passes it on.".into();
    }
    let operators = |of: &[Operator]| Message::join(of.iter().map(self::reached), "; ");
    let cause = message!("The call runs {}.", operators(&reached.operators));
    if reached.below.is_empty() {
        return cause;
    }
    let below = operators(&reached.below);
    message!("{} Below autograd, on the CPU, that is {}.", cause, below)
}

/// A note, in which code is between backticks.
fn noted(note: &str) -> Message {
    let mut message = Message::default();
    for (at, piece) in note.split('`').enumerate() {
        match at % 2 {
            0 => message.push_str(piece),
            _ => message.push_code(piece),
        }
    }
    message
}

/// A place in a text, which is at most [`crate::MOST_BYTES`] long.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The answer for an operator on a backend in the newest release, and the first release of that answer.
fn newest(operator: &str, key: &str) -> (Works, &'static str) {
    let newest = releases::known().last().copied().unwrap_or_default();
    let spans = releases::spans(operator, Place::Key(key));
    let last = spans.last().filter(|span| span.last == newest);
    last.map_or((Works::Unknown, newest), |span| (span.works, span.first))
}

/// Since when operators work on a backend, and what some of the calls below them need.
fn works(operators: &[&str], below: &[Operator], key: &str) -> Message {
    let mut said = message!("On {}: {}", render::backend(key), together(operators, key));
    for operator in below.iter().filter(|it| is_common(it)) {
        let first = releases::known().first().copied().unwrap_or_default();
        let part = match newest(&operator.name, key) {
            (Works::No, _) => message!("; {} fails", self::reached(operator)),
            (Works::Yes, since) if since != first => {
                message!("; {} from {} on", self::reached(operator), since)
            }
            _ => continue,
        };
        said.push(&part);
    }
    said.push_str(".");
    said
}

/// True for a conditional operator that works on more than one backend. Calls were recorded on the CPU, so
/// an operator that only the CPU has says nothing about other backends.
fn is_common(operator: &Operator) -> bool {
    let works = BACKENDS
        .iter()
        .filter(|key| newest(&operator.name, key).0 == Works::Yes);
    operator.when.is_some() && works.count() > 1
}

/// Since when all operators of a call work.
fn together(operators: &[&str], key: &str) -> Message {
    let known = releases::known();
    let first = known.first().copied().unwrap_or_default();
    let with = |wanted: Works| operators.iter().find(|it| newest(it, key).0 == wanted);
    if let Some(operator) = with(Works::No) {
        return message!(
            "`{}` fails, also in {}",
            *operator,
            known.last().copied().unwrap_or_default()
        );
    }
    if let Some(operator) = with(Works::Unknown) {
        return message!("nobody knows whether `{}` works", *operator);
    }
    if let Some(operator) = with(Works::Partly) {
        return message!("`{}` works in some cases only", *operator);
    }
    let since = operators.iter().map(|it| newest(it, key).1);
    let since = since.max_by_key(|since| known.iter().position(|it| it == since));
    let was_unknown = |it: &&str| {
        let spans = releases::spans(it, Place::Key(key));
        spans.iter().any(|span| span.works == Works::Unknown)
    };
    match since {
        Some(since) if since != first && operators.iter().any(was_unknown) => {
            message!("it works from {} on; earlier releases are unknown", since)
        }
        Some(since) if since != first => message!("it works from {} on", since),
        _ => message!("it works in every release since {}", first),
    }
}

/// Reads the line with the declarations of a release.
fn declared(catalogue: &Catalogue, line: &str) -> Option<Reached> {
    let Reach::Reached(reached) = reach(catalogue, line) else {
        return None;
    };
    let of = |operators: Vec<ReachedOperator>| {
        let operators = operators.into_iter().map(|it| Operator {
            name: it.name,
            when: it.when,
            is_certain: true,
        });
        operators.collect()
    };
    Some(Reached {
        function: reached.function,
        operators: of(reached.operators),
        below: of(reached.below),
        notes: reached.notes,
    })
}

/// Reads the line without declarations, from recordings and names.
fn by_names(line: &str) -> Option<Reached> {
    let Ok(Statement::Expression(line)) = Statement::read(line) else {
        return None;
    };
    let name = called(&line)?;
    let function = whole(&name);
    let operators = recorded(&function).or_else(|| named(&function, &name, &line))?;
    Some(Reached {
        function,
        operators,
        below: Vec::new(),
        notes: vec![
            "The overload depends on the arguments: import a release (`opatlas import torch==2.15.0`), and \
             `opatlas call` tells."
                .to_owned(),
        ],
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
        (Some(when), true) => message!("`{}` if {}", name, Message::prose(when.clone())),
        (Some(when), false) => message!(
            "`{}` in some calls with {}",
            name,
            Message::prose(when.clone())
        ),
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
    let (module, last) = function.rsplit_once('.')?;
    let module = module.strip_prefix("torch.").unwrap_or_default();
    // `torch.linalg.eigh` runs `linalg_eigh`.
    let names = [format!("{module}_{last}"), last.to_owned()];
    let known = names.into_iter().find(|name| name::is_base(name));
    let known = known.filter(|_| is_torch || is_method)?;
    Some(vec![Operator::certain(known)])
}

#[cfg(test)]
mod tests {
    use opatlas_source::Bundle;

    use super::*;

    #[test]
    fn lines_of_python_are_told_from_words() {
        for (text, operator) in [
            ("x.add_(y)", Some("add_")),
            ("torch.cat([a, b])", Some("cat")),
            ("torch.ops.aten.add.Tensor(x, y)", Some("add.Tensor")),
            ("nn.Linear(3, 4)(x)", Some("linear")),
            ("torch.linalg.eigh(a)", Some("linalg_eigh")),
        ] {
            let answer = of(text, None).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(answer.operator.as_deref(), operator, "{text}");
        }
        let relu = of("F.relu(x, inplace=True)", None).unwrap();
        assert!(
            relu.title.contains("torch.nn.functional.relu"),
            "{}",
            &*relu.title
        );
        let bundle = Bundle::of_native_functions(b"- func: item(Tensor self) -> Scalar\n".to_vec());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let title = |text| of(text, Some(&catalogue)).unwrap().title.to_string();
        assert_eq!(title("len(x)"), "`len` runs no operator");
        assert_eq!(title("float(x)"), "`float` reaches `item`");
        for text in [
            "hello",
            "example.com",
            "a b",
            "",
            "x + ",
            "print(x)",
            "os.path.join(a)",
        ] {
            assert_eq!(of(text, None), None, "{text}");
        }
    }
}

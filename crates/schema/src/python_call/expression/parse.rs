//! Parses a line of Python by the precedence of its operators.

use super::super::arguments::{MOST_CHARACTERS, Unreadable, number};
use super::tokens::{Token, tokens};
use super::{Argument, Expression, Statement};
use crate::python_call::Value;

const MOST_NESTED: usize = 48;
const MOST_LINKS: usize = 200;

/// Binary operators with their precedence; `**` is the highest and binds to the right.
const BINARY: [(&str, u8); 21] = [
    ("or", 1),
    ("and", 2),
    ("==", 4),
    ("!=", 4),
    ("<=", 4),
    (">=", 4),
    ("<", 4),
    (">", 4),
    ("in", 4),
    ("|", 5),
    ("^", 6),
    ("&", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("//", 10),
    ("%", 10),
    ("@", 10),
];
const UNARY: u8 = 11;
/// Operators that assign, each with the operator that they apply.
const IN_PLACE: [(&str, &str); 13] = [
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("@=", "@"),
    ("%=", "%"),
    ("&=", "&"),
    ("|=", "|"),
    ("^=", "^"),
    ("**=", "**"),
    ("//=", "//"),
    (">>=", ">>"),
    ("<<=", "<<"),
];
/// Words that begin a line without changing what it calls.
const PREFIXES: [&str; 3] = ["return", "await", "yield"];

pub(super) fn statement(text: &str) -> Result<Statement, Unreadable> {
    let text = text.trim().trim_start_matches(">>> ").trim();
    if text.chars().count() > MOST_CHARACTERS {
        return Err(Unreadable {
            rest: text.to_owned(),
            problem: format!("more than {MOST_CHARACTERS} characters"),
        });
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        links: 0,
    };
    while parser.takes_name(&PREFIXES) {}
    let statement = parser.statement()?;
    parser.takes(";");
    match parser.tokens.get(parser.next) {
        None => Ok(statement),
        Some(_) => Err(parser.problem("expected the end of the line")),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(usize, Token<'t>)>,
    next: usize,
    depth: usize,
    /// Operators, attributes, calls and assignments so far.
    links: usize,
}

impl<'t> Parser<'t> {
    fn problem(&self, problem: &str) -> Unreadable {
        let at = self
            .tokens
            .get(self.next)
            .map_or(self.text.len(), |(at, _)| *at);
        Unreadable {
            rest: self.text[at..].to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).map(|(_, token)| *token)
    }

    fn takes(&mut self, mark: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Mark(next)) if next == mark);
        self.next += usize::from(is_next);
        is_next
    }

    fn takes_name(&mut self, names: &[&str]) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Name(next)) if names.contains(&next));
        self.next += usize::from(is_next);
        is_next
    }

    fn link(&mut self) -> Result<(), Unreadable> {
        self.links += 1;
        match self.links > MOST_LINKS {
            true => Err(self.problem("too many operators in one line")),
            false => Ok(()),
        }
    }

    fn statement(&mut self) -> Result<Statement, Unreadable> {
        self.link()?;
        let target = self.tuple_or_one()?;
        if let Some(Token::Mark(mark)) = self.peek()
            && let Some((_, op)) = IN_PLACE.iter().find(|(in_place, _)| *in_place == mark)
        {
            self.next += 1;
            return Ok(Statement::InPlace(op, target, self.expression(0)?));
        }
        if self.takes(":") {
            self.expression(0)?;
        }
        if !self.takes("=") {
            return Ok(Statement::Expression(target));
        }
        let value = self.statement()?;
        Ok(match (target, value) {
            (Expression::Index(_, index), Statement::Expression(value)) => {
                Statement::Store(index, value)
            }
            (_, value) => value,
        })
    }

    /// `x, y` is a tuple without brackets.
    fn tuple_or_one(&mut self) -> Result<Expression, Unreadable> {
        let first = self.expression(0)?;
        if !self.takes(",") {
            return Ok(first);
        }
        let mut elements = vec![first];
        while self.peek().is_some_and(|next| next != Token::Mark("=")) {
            elements.push(self.expression(0)?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(Expression::Tuple(elements))
    }

    fn expression(&mut self, least: u8) -> Result<Expression, Unreadable> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err(self.problem("too many brackets in one another"));
        }
        let mut left = self.unary()?;
        while let Some((op, level)) = self.binary().filter(|(_, level)| *level >= least) {
            self.link()?;
            self.next += 1;
            let right = self.expression(level + 1)?;
            left = Expression::Binary(op, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn binary(&self) -> Option<(&'static str, u8)> {
        let (Token::Mark(next) | Token::Name(next)) = self.peek()? else {
            return None;
        };
        BINARY.into_iter().find(|(op, _)| *op == next)
    }

    fn unary(&mut self) -> Result<Expression, Unreadable> {
        for op in ["-", "+", "~"] {
            if self.takes(op) {
                return Ok(Expression::Unary(op, Box::new(self.expression(UNARY)?)));
            }
        }
        if self.takes_name(&["not"]) {
            return Ok(Expression::Unary("not", Box::new(self.expression(4)?)));
        }
        let base = self.postfix()?;
        if self.takes("**") {
            let power = self.expression(UNARY)?;
            return Ok(Expression::Binary("**", Box::new(base), Box::new(power)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Result<Expression, Unreadable> {
        let mut of = self.atom()?;
        loop {
            self.link()?;
            if self.takes(".") {
                let Some(Token::Name(name)) = self.peek() else {
                    return Err(self.problem("expected a name"));
                };
                self.next += 1;
                of = Expression::Attribute(Box::new(of), name.to_owned());
            } else if self.takes("(") {
                of = Expression::Call(Box::new(of), self.arguments()?);
            } else if self.takes("[") {
                of = Expression::Index(Box::new(of), self.elements("]", true)?.0);
            } else {
                return Ok(of);
            }
        }
    }

    fn atom(&mut self) -> Result<Expression, Unreadable> {
        let token = self
            .peek()
            .ok_or_else(|| self.problem("expected an expression"))?;
        self.next += 1;
        Ok(match token {
            Token::Name(name) => Expression::Name(name.to_owned()),
            Token::Text(text) => Expression::Literal(Value::Str(text.to_owned())),
            Token::Bytes => Expression::Literal(Value::Bytes),
            Token::Mark("...") => Expression::Ellipsis,
            Token::Number(text) => match number(&text.replace('_', "")) {
                Some(scalar) => Expression::Literal(Value::Scalar(scalar)),
                None => return Err(self.before("expected a number")),
            },
            Token::Mark("[") => Expression::List(self.elements("]", false)?.0),
            Token::Mark("(") => match self.elements(")", false)? {
                (mut one, false) if one.len() == 1 => one.remove(0),
                (elements, _) => Expression::Tuple(elements),
            },
            Token::Mark(_) => return Err(self.before("expected an expression")),
        })
    }

    fn before(&mut self, problem: &str) -> Unreadable {
        self.next -= 1;
        self.problem(problem)
    }

    /// Elements up to the closing bracket, and whether a comma follows the last one.
    fn elements(
        &mut self,
        close: &str,
        may_slice: bool,
    ) -> Result<(Vec<Expression>, bool), Unreadable> {
        let mut elements = Vec::new();
        let mut ends_with_comma = true;
        while !self.takes(close) {
            if !ends_with_comma {
                return Err(self.problem(&format!("expected a comma or `{close}`")));
            }
            elements.push(match may_slice {
                true => self.slice()?,
                false => self.expression(0)?,
            });
            ends_with_comma = self.takes(",");
        }
        Ok((elements, ends_with_comma))
    }

    /// An index: an expression, or `1:2`.
    fn slice(&mut self) -> Result<Expression, Unreadable> {
        let mut first = None;
        let mut colons = 0;
        // Whether the start, the end and the step are those of a whole dimension.
        let mut is_whole = [true; 3];
        let mut is_negative = false;
        loop {
            if self.takes(":") {
                colons += 1;
            } else if matches!(self.peek(), None | Some(Token::Mark("]" | ","))) || colons > 2 {
                break;
            } else {
                let written = self.peek();
                let value = self.expression(0)?;
                let is = |text| {
                    written == Some(Token::Number(text)) && matches!(value, Expression::Literal(_))
                };
                is_whole[colons] = (colons == 0 && is("0")) || (colons == 2 && is("1"));
                is_negative |= colons == 1 && matches!(value, Expression::Unary("-", _));
                first = Some(value);
            }
        }
        match (colons, first) {
            (0, Some(index)) => Ok(index),
            (0, None) => Err(self.problem("expected an index")),
            _ => Ok(Expression::Slice {
                is_full: is_whole == [true; 3],
                may_be_full: is_whole[0] && is_whole[2] && !is_negative,
            }),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Unreadable> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(self.argument()?);
            if !self.takes(",") && self.peek() != Some(Token::Mark(")")) {
                return Err(self.problem("expected a comma or `)`"));
            }
        }
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Argument, Unreadable> {
        let is_unpacked = self.takes("*") || self.takes("**");
        let after = self.tokens.get(self.next + 1).map(|(_, token)| *token);
        let name = match (self.peek(), after) {
            (Some(Token::Name(name)), Some(Token::Mark("="))) => {
                self.next += 2;
                Some(name.to_owned())
            }
            _ => None,
        };
        Ok(Argument {
            name,
            value: self.expression(0)?,
            is_unpacked,
        })
    }
}

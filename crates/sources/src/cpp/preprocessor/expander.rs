//! Expands macros as the preprocessor does, in a bounded number of tokens.

use std::sync::Arc;

use super::definition::{Definition, Part, closing, is_name};
use super::pieces::{Piece, stringified};

/// The longest chain of arguments within arguments.
const DEEPEST: usize = 48;

/// Which macros there are.
pub(super) trait Known {
    /// The macro that a name means.
    fn definition(&mut self, name: &str) -> Option<Arc<Definition>>;

    /// Whether a use stays as it is: what it stands for is described. `arguments` is `None` for a
    /// name without any.
    fn keeps(&mut self, definition: &Definition, arguments: Option<&[Vec<Piece>]>) -> bool;
}

/// Why a text cannot be expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    /// It takes too many tokens.
    Long,
    /// Arguments are nested too deeply.
    Deep,
}

/// The tokens that a text expands to. `left` bounds them for several texts.
pub(super) fn expand(
    input: Vec<Piece>,
    known: &mut dyn Known,
    left: &mut usize,
) -> Result<Vec<Piece>, Overflow> {
    Expander { known, left }.expand(input, 0)
}

/// What becomes of a name.
enum Outcome {
    Replaced(Vec<Piece>),
    Stays,
    /// So do the next tokens, its arguments.
    StaysWith(usize),
}

struct Expander<'e> {
    known: &'e mut dyn Known,
    left: &'e mut usize,
}

impl Expander<'_> {
    fn expand(&mut self, mut input: Vec<Piece>, depth: usize) -> Result<Vec<Piece>, Overflow> {
        if depth > DEEPEST {
            return Err(Overflow::Deep);
        }
        let mut output = Vec::with_capacity(input.len());
        input.reverse();
        while let Some(piece) = input.pop() {
            *self.left = self.left.checked_sub(1).ok_or(Overflow::Long)?;
            let definition = match piece.word() {
                Some(word) if is_name(&piece) && !piece.hidden.has(word) => {
                    self.known.definition(word)
                }
                _ => None,
            };
            let Some(definition) = definition else {
                output.push(piece);
                continue;
            };
            match self.replaced(&piece, &definition, &mut input, depth)? {
                Outcome::Replaced(replacement) => input.extend(replacement.into_iter().rev()),
                Outcome::Stays => output.push(piece),
                Outcome::StaysWith(length) => {
                    output.push(piece);
                    let after = input.len().saturating_sub(length);
                    output.extend(input.drain(after..).rev());
                }
            }
        }
        Ok(output)
    }

    /// What replaces a name and its arguments, which are taken from `rest`, whose next token is the
    /// last.
    fn replaced(
        &mut self,
        name: &Piece,
        definition: &Definition,
        rest: &mut Vec<Piece>,
        depth: usize,
    ) -> Result<Outcome, Overflow> {
        let Some(parameters) = &definition.parameters else {
            if self.known.keeps(definition, None) {
                return Ok(Outcome::Stays);
            }
            let made = self.substituted(name, definition, &[], depth)?;
            return Ok(Outcome::Replaced(made));
        };
        if !rest.last().is_some_and(|next| next.is(b'(')) {
            return Ok(Outcome::Stays);
        }
        let Some(length) = arguments_length(rest) else {
            return Ok(Outcome::Stays);
        };
        let list: Vec<Piece> = rest[rest.len() - length..].iter().rev().cloned().collect();
        let arguments = arguments(&list, parameters.names.len(), parameters.is_variadic);
        let Some(arguments) = arguments else {
            return Ok(Outcome::Stays);
        };
        if self.known.keeps(definition, Some(&arguments)) {
            return Ok(Outcome::StaysWith(length));
        }
        rest.truncate(rest.len() - length);
        let made = self.substituted(name, definition, &arguments, depth)?;
        Ok(Outcome::Replaced(made))
    }

    fn substituted(
        &mut self,
        name: &Piece,
        definition: &Definition,
        arguments: &[Vec<Piece>],
        depth: usize,
    ) -> Result<Vec<Piece>, Overflow> {
        let mut made = Vec::new();
        self.parts(&definition.body, definition, arguments, depth, &mut made)?;
        made.retain(|piece: &Piece| !piece.text.is_empty());
        let hidden = name.hidden.with(&definition.name);
        for piece in &mut made {
            piece.hidden = piece.hidden.and(&hidden);
        }
        if let Some(first) = made.first_mut() {
            first.spaced = name.spaced;
        }
        Ok(made)
    }

    fn parts(
        &mut self,
        parts: &[Part],
        definition: &Definition,
        arguments: &[Vec<Piece>],
        depth: usize,
        made: &mut Vec<Piece>,
    ) -> Result<(), Overflow> {
        for (index, part) in parts.iter().enumerate() {
            let is_pasted = index > 0 && parts[index - 1] == Part::Paste;
            let is_beside = is_pasted || parts.get(index + 1) == Some(&Part::Paste);
            let next = match part {
                Part::Paste => continue,
                Part::Piece(piece) => vec![piece.clone()],
                Part::Stringified(at, spaced) => {
                    vec![stringified(argument(arguments, *at), *spaced)]
                }
                Part::Parameter(at, _) if is_pasted && definition.is_rest(*at) && is_list(made) => {
                    self.rest(argument(arguments, *at), depth, made)?;
                    continue;
                }
                Part::Parameter(at, spaced) => {
                    let given = argument(arguments, *at).to_vec();
                    let mut given = match is_beside {
                        true if given.is_empty() => vec![Piece::placemarker()],
                        true => given,
                        false => self.expand(given, depth + 1)?,
                    };
                    if let Some(first) = given.first_mut() {
                        first.spaced = *spaced;
                    }
                    given
                }
                Part::IfVariadic(inside) => {
                    if arguments.last().is_some_and(|rest| !rest.is_empty()) {
                        self.parts(inside, definition, arguments, depth, made)?;
                    }
                    continue;
                }
            };
            *self.left = self.left.checked_sub(next.len()).ok_or(Overflow::Long)?;
            add(next, is_pasted, made);
        }
        Ok(())
    }

    /// `, ## __VA_ARGS__` is a comma and the arguments, or nothing.
    fn rest(
        &mut self,
        given: &[Piece],
        depth: usize,
        made: &mut Vec<Piece>,
    ) -> Result<(), Overflow> {
        if given.is_empty() {
            made.pop();
        }
        made.extend(self.expand(given.to_vec(), depth + 1)?);
        Ok(())
    }
}

/// Whether a comma comes last.
fn is_list(made: &[Piece]) -> bool {
    made.last().is_some_and(|piece| piece.is(b','))
}

/// Appends tokens; the first is joined with the last one before it if `##` is between them.
fn add(next: Vec<Piece>, is_pasted: bool, made: &mut Vec<Piece>) {
    let mut next = next.into_iter();
    if is_pasted && let Some(left) = made.pop() {
        match next.next() {
            Some(right) => made.push(left.pasted(&right)),
            None => made.push(left),
        }
    }
    made.extend(next);
}

fn argument(arguments: &[Vec<Piece>], at: usize) -> &[Piece] {
    arguments.get(at).map_or(&[], |argument| argument)
}

/// The number of tokens from the next, a parenthesis, to the one that closes it.
fn arguments_length(rest: &[Piece]) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, piece) in rest.iter().rev().enumerate() {
        if piece.is(b'(') {
            depth += 1;
        } else if piece.is(b')') {
            depth -= 1;
            if depth == 0 {
                return Some(index + 1);
            }
        }
    }
    None
}

/// The arguments in parentheses; `None` if there are too few or too many.
pub(super) fn arguments(
    list: &[Piece],
    parameters: usize,
    is_variadic: bool,
) -> Option<Vec<Vec<Piece>>> {
    let close = closing(list, 0);
    let mut arguments: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut depth = 0_usize;
    for piece in list.get(1..close)? {
        match () {
            () if piece.is(b'(') => depth += 1,
            () if piece.is(b')') => depth = depth.saturating_sub(1),
            () => {}
        }
        let is_rest = is_variadic && arguments.len() == parameters;
        if piece.is(b',') && depth == 0 && !is_rest {
            arguments.push(Vec::new());
        } else if let Some(argument) = arguments.last_mut() {
            argument.push(piece.clone());
        }
    }
    let is_empty = arguments.len() == 1 && arguments[0].is_empty();
    if parameters == 0 && is_empty {
        return Some(Vec::new());
    }
    // The variadic part may be left out.
    if is_variadic && arguments.len() + 1 == parameters {
        arguments.push(Vec::new());
    }
    (arguments.len() == parameters).then_some(arguments)
}

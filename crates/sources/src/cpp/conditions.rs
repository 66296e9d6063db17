//! Preprocessor conditions. Constant ones (`#if 0`) are evaluated; otherwise all branches count.

use super::tokens::{Directive, Kind, Token};

#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// Offsets at which the innermost condition changes.
    changes: Vec<(u32, Option<usize>)>,
    /// Each condition and its parent.
    conditions: Vec<(String, Option<usize>)>,
    /// Byte ranges without code: disabled, or a second branch that would unbalance brackets.
    off: Vec<(u32, u32)>,
}

const MOST_NAMED: usize = 4;

struct Open<'s> {
    /// The condition of the first branch.
    first: &'s str,
    /// The condition of the current branch; `None` if it is always on.
    current: Option<usize>,
    around: Option<usize>,
    start: u32,
    is_off: bool,
    /// Whether an earlier branch is always on.
    is_decided: bool,
    /// Whether the first branch leaves brackets open, so that only it counts.
    is_unbalanced: bool,
    is_first: bool,
}

impl Conditions {
    /// `tokens` are all tokens of the text.
    pub(super) fn new(source: &str, directives: &[Directive], tokens: &[Token]) -> Self {
        let tokens = &Depths::of(tokens);
        let mut conditions = Self::default();
        let mut open: Vec<Open<'_>> = Vec::new();
        for (index, directive) in directives.iter().enumerate() {
            let text = source
                .get(directive.start as usize..directive.end as usize)
                .unwrap_or_default();
            let (name, rest) = split(text);
            match name {
                "if" | "ifdef" | "ifndef" => {
                    let next = directives.get(index + 1);
                    let guard = is_guard(name, rest, source, next);
                    open.push(conditions.opened(text, name, rest, *directive, &open, guard));
                }
                "elif" | "elifdef" | "elifndef" | "else" => {
                    if let Some(last) = open.last_mut() {
                        conditions.branch(last, text, name, *directive, tokens);
                    }
                }
                "endif" => {
                    if let Some(mut last) = open.pop() {
                        conditions.close(&mut last, directive.start, tokens);
                        conditions.changes.push((directive.end, last.around));
                    }
                }
                _ => {}
            }
        }
        let end = u32::try_from(source.len()).unwrap_or(u32::MAX);
        for mut unclosed in open.into_iter().rev() {
            conditions.close(&mut unclosed, end, tokens);
        }
        conditions.off.sort_unstable();
        conditions.merge();
        conditions
    }

    fn opened<'s>(
        &mut self,
        text: &str,
        name: &str,
        rest: &'s str,
        directive: Directive,
        open: &[Open<'_>],
        is_guard: bool,
    ) -> Open<'s> {
        let around = open.last().and_then(|outer| outer.current.or(outer.around));
        let decided = match (name, rest) {
            ("if", "0" | "false") => Some(false),
            ("if", "1" | "true") => Some(true),
            _ if is_guard => Some(true),
            _ => None,
        };
        let current = match decided {
            None => Some(self.condition(one_line(text), around)),
            Some(_) => None,
        };
        self.changes.push((directive.end, current.or(around)));
        Open {
            first: rest,
            current,
            around,
            start: directive.end,
            is_off: decided == Some(false),
            is_decided: decided == Some(true),
            is_unbalanced: false,
            is_first: true,
        }
    }

    fn branch(
        &mut self,
        open: &mut Open<'_>,
        text: &str,
        name: &str,
        directive: Directive,
        tokens: &Depths,
    ) {
        let was_off = open.is_off && open.is_first;
        self.close(open, directive.start, tokens);
        open.is_first = false;
        open.start = directive.end;
        open.is_off = open.is_decided || open.is_unbalanced;
        let is_certain = name == "else" && was_off;
        open.current = if is_certain {
            None
        } else {
            let condition = match name {
                "else" => format!("#else of {}", shortened(open.first)),
                _ => one_line(text),
            };
            Some(self.condition(condition, open.around))
        };
        self.changes
            .push((directive.end, open.current.or(open.around)));
    }

    fn close(&mut self, open: &mut Open<'_>, end: u32, tokens: &Depths) {
        if open.is_off {
            self.off.push((open.start, end));
        } else if open.is_first && !tokens.is_balanced(open.start, end) {
            open.is_unbalanced = true;
        }
    }

    fn condition(&mut self, text: String, around: Option<usize>) -> usize {
        self.conditions.push((text, around));
        self.conditions.len() - 1
    }

    /// The conditions at a place, innermost first; `None` for unconditional code.
    pub(super) fn at(&self, place: u32) -> Option<Box<str>> {
        let before = self.changes.partition_point(|(from, _)| *from <= place);
        let mut next = self.changes.get(before.checked_sub(1)?)?.1;
        let mut named = Vec::new();
        while let Some((text, around)) = next.and_then(|index| self.conditions.get(index)) {
            if named.len() == MOST_NAMED {
                named.push("...");
                break;
            }
            named.push(text);
            next = *around;
        }
        if named.is_empty() {
            None
        } else {
            Some(named.join(", within ").into())
        }
    }

    pub(super) fn is_off(&self, place: u32) -> bool {
        let before = self.off.partition_point(|(start, _)| *start <= place);
        before > 0
            && self.off[..before]
                .last()
                .is_some_and(|(_, end)| place < *end)
    }

    /// Flattens nested ranges.
    fn merge(&mut self) {
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.off.len());
        for &(start, end) in &self.off {
            match merged.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => merged.push((start, end)),
            }
        }
        self.off = merged;
    }

    /// In order.
    pub(super) fn off(&self) -> &[(u32, u32)] {
        &self.off
    }
}

/// Splits a directive into its name and the rest, without trailing comments.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('#').trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.split("//").next().unwrap_or_default();
    let rest = rest.split("/*").next().unwrap_or_default();
    (name, rest.trim())
}

/// Whether an `#ifndef` is an include guard.
fn is_guard(name: &str, rest: &str, source: &str, next: Option<&Directive>) -> bool {
    let text = next.and_then(|next| source.get(next.start as usize..next.end as usize));
    name == "ifndef" && text.map(split) == Some(("define", rest))
}

fn one_line(text: &str) -> String {
    let (name, rest) = split(text);
    format!("#{name} {}", shortened(rest))
}

/// A condition on one line, with at most 80 characters.
pub(super) fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split(['\\', ' ', '\t', '\r', '\n']).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let mut line: String = words.join(" ");
    if line.chars().count() > 80 {
        line = line.chars().take(77).chain("...".chars()).collect();
    }
    line
}

struct Depths {
    starts: Vec<u32>,
    depths: Vec<[i32; 2]>,
}

impl Depths {
    fn of(tokens: &[Token]) -> Self {
        let mut depth = [0_i32; 2];
        let mut depths = vec![depth];
        depths.extend(tokens.iter().map(|token| {
            match token.kind {
                Kind::Punct(b'{') => depth[0] += 1,
                Kind::Punct(b'}') => depth[0] -= 1,
                Kind::Punct(b'(') => depth[1] += 1,
                Kind::Punct(b')') => depth[1] -= 1,
                _ => {}
            }
            depth
        }));
        Self {
            starts: tokens.iter().map(|token| token.start).collect(),
            depths,
        }
    }

    fn is_balanced(&self, start: u32, end: u32) -> bool {
        let at = |place| self.starts.partition_point(|start| *start < place);
        self.depths.get(at(start)) == self.depths.get(at(end))
    }
}

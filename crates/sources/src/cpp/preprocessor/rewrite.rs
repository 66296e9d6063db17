//! A text with its macros expanded where they may register something, and the way back to the
//! places of the original.

use std::ops::Range;
use std::sync::Arc;

use opatlas_source::Span;

use super::super::conditions::split;
use super::super::source::Source;
use super::environment::{Constants, Environment, Variant, several};
use super::pieces::pieces;
use super::regions::Regions;
use crate::{Fault, Registration};

/// A text with expanded macros.
pub(in crate::cpp) struct Rewritten {
    pub text: Arc<str>,
    uses: Vec<Use>,
}

/// A use that was not expanded.
pub(in crate::cpp) struct Unread<'r> {
    pub name: &'r str,
    pub at: Span,
    pub why: &'r str,
}

/// Where a macro or constant is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UseKind {
    /// In an argument that must be known.
    Argument,
    /// It may register something.
    Registration,
    /// As another statement of a block.
    Statement,
}

/// A use of a macro.
struct Use {
    name: Box<str>,
    /// Where the use is, and where what it expands to is.
    original: Range<u32>,
    expanded: Range<u32>,
    condition: Option<Box<str>>,
    /// Why it was not expanded, or why what it expands to is not certain.
    why: Option<Box<str>>,
    kind: UseKind,
}

/// Expands the macros of a file; `None` if there is nothing to expand.
pub(super) fn rewrite(source: &Source<'_>, environment: &mut Environment<'_>) -> Option<Rewritten> {
    let mut writer = Writer {
        source,
        environment,
        regions: Regions::of(source),
        text: String::new(),
        copied: 0,
        directives: 0,
        uses: Vec::new(),
    };
    writer.walk();
    if writer.uses.is_empty() {
        return None;
    }
    writer.copy_to(source.text.len());
    Some(Rewritten {
        text: writer.text.into(),
        uses: writer.uses,
    })
}

struct Writer<'w, 'e, 's> {
    source: &'w Source<'s>,
    environment: &'w mut Environment<'e>,
    regions: Regions<'s>,
    text: String,
    /// How much of the original was copied or replaced.
    copied: usize,
    /// How many directives were passed.
    directives: usize,
    uses: Vec<Use>,
}

impl Writer<'_, '_, '_> {
    fn walk(&mut self) {
        let mut index = 0;
        let mut is_statement = true;
        while index < self.source.tokens.len() {
            self.includes(index);
            let token = self.source.tokens[index];
            let starts_statement = is_statement;
            is_statement = [b'{', b'}', b';'].iter().any(|punct| token.is(*punct));
            let Some(word) = self.source.word(index) else {
                index += 1;
                continue;
            };
            self.regions.enter(self.source, index, word);
            match self.use_at(index, word, starts_statement) {
                Some(end) => {
                    is_statement = starts_statement;
                    index = end;
                }
                None => index += 1,
            }
        }
    }

    /// Notes the files that are included in a block before a token and were not scanned.
    fn includes(&mut self, index: usize) {
        let source = self.source;
        let before = source.tokens[index].start;
        while let Some(directive) = source.directives.get(self.directives) {
            if directive.start > before {
                return;
            }
            self.directives += 1;
            let place = directive.start..directive.end;
            let line = source.text.get(place.start as usize..place.end as usize);
            let ("include", file) = line.map(split).unwrap_or_default() else {
                continue;
            };
            let is_in_block = index > 0 && self.regions.is_block(index - 1);
            let is_scanned = self.environment.has_file(file);
            if is_in_block && !is_scanned && place.start as usize >= self.copied {
                let why = format!("{file} is included in the block");
                let kind = UseKind::Registration;
                self.replace("#include", place, Vec::new(), Some(why), kind);
            }
        }
    }

    /// Expands a use that begins at a token; returns the token after it.
    fn use_at(&mut self, at: usize, word: &str, starts_statement: bool) -> Option<usize> {
        if !self.environment.is_defined(word) {
            return None;
        }
        let has_arguments = self.source.is(at + 1, b'(');
        let close = match has_arguments {
            true => self.source.partner(at + 1)?,
            false => at,
        };
        let is_argument = self.regions.is_argument(at, word);
        let is_in_block = starts_statement && has_arguments && self.regions.is_block(at);
        let registers = !is_argument && self.registers(at, close, word);
        if !is_argument && !is_in_block && !registers {
            return None;
        }
        let kind = match (is_argument, registers) {
            (true, _) => UseKind::Argument,
            (false, true) => UseKind::Registration,
            (false, false) => UseKind::Statement,
        };
        self.environment.at = self.source.tokens[at].start;
        let alternatives = self.environment.alternatives(word);
        let definition = &alternatives.first()?.definition;
        if definition.is_constant && !is_argument {
            return None;
        }
        let close = match &definition.parameters {
            Some(_) if !has_arguments => return None,
            Some(_) => close,
            None => at,
        };
        self.expand(at, close, word, kind)?;
        Some(close + 1)
    }

    /// The bytes of a use: with the scopes of a constant.
    fn place(&self, at: usize, close: usize, kind: UseKind) -> Option<Range<u32>> {
        let start = match kind {
            UseKind::Argument => self.source.start_of_path(at),
            _ => at,
        };
        let place = self.source.tokens[start].start..self.source.tokens[close].end;
        (place.start as usize >= self.copied).then_some(place)
    }

    /// Replaces a use; `None` if it stays as it is.
    fn expand(&mut self, at: usize, close: usize, word: &str, kind: UseKind) -> Option<()> {
        let place = self.place(at, close, kind)?;
        let call = pieces(self.source.text, self.source.tokens.get(at..=close)?);
        self.environment.constants = match kind {
            UseKind::Argument => Constants::Replaced,
            _ => Constants::Left,
        };
        let is_prefix = self.source.is(close + 1, b'{');
        let must_be_one = kind == UseKind::Argument || is_prefix;
        let made = match self.has_directive(&place) {
            true => Err(format!(
                "a directive is among the arguments of macro `{word}`"
            )),
            false => self.environment.variants(&call),
        };
        let (mut variants, why) = match made {
            Ok(all) if all.len() > 1 && must_be_one => (
                if is_prefix { all } else { Vec::new() },
                Some(several(word)),
            ),
            Ok(all) => (all, None),
            // Whatever it is, it registers nothing.
            Err(_) if kind == UseKind::Statement => (vec![Variant::default()], None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let is_same = |variant: &Variant| variant.text == *word;
        if why.is_none() && variants.len() == 1 && variants.first().is_some_and(is_same) {
            return None;
        }
        if kind != UseKind::Argument {
            for variant in &mut variants {
                variant.text = constants_in(&variant.text, self.environment);
            }
        }
        if is_prefix {
            variants.truncate(1);
            let end = self.source.partner(close + 1).unwrap_or(close + 1);
            self.regions.add_block(close + 1..end);
        }
        self.replace(word, place, variants, why, kind);
        Some(())
    }

    /// Whether the macro or one in its arguments may register something.
    fn registers(&mut self, at: usize, close: usize, word: &str) -> bool {
        if self.environment.registers(word) {
            return true;
        }
        (at + 1..close).any(|index| {
            let argument = self.source.word(index);
            argument.is_some_and(|word| self.environment.registers(word))
        })
    }

    fn has_directive(&self, place: &Range<u32>) -> bool {
        let directives = &self.source.directives;
        let after = directives.partition_point(|directive| directive.start < place.start);
        let next = directives.get(after);
        next.is_some_and(|directive| directive.start < place.end)
    }

    fn copy_to(&mut self, end: usize) {
        let text = self.source.text.get(self.copied..end).unwrap_or_default();
        self.text.push_str(text);
        self.copied = self.copied.max(end);
    }

    fn replace(
        &mut self,
        name: &str,
        original: Range<u32>,
        variants: Vec<Variant>,
        why: Option<String>,
        kind: UseKind,
    ) {
        self.copy_to(original.start as usize);
        let mut made = variants;
        if made.is_empty() {
            let range = original.start as usize..original.end as usize;
            let same = self.source.text.get(range).unwrap_or_default();
            made.push(Variant {
                text: same.to_owned(),
                condition: None,
            });
        }
        let count = made.len();
        for (index, Variant { text, condition }) in made.into_iter().enumerate() {
            self.text.push(' ');
            let start = offset(self.text.len());
            self.text.push_str(&text);
            let end = offset(self.text.len());
            self.text
                .push_str(if index + 1 < count { "; " } else { " " });
            self.uses.push(Use {
                name: name.into(),
                original: original.clone(),
                expanded: start..end,
                condition,
                why: why.as_deref().map(Into::into),
                kind,
            });
        }
        self.copied = original.end as usize;
    }
}

/// Replaces the constants in a text that name operators and keys.
fn constants_in(text: &str, environment: &mut Environment<'_>) -> String {
    let source = Source::new(text, 0);
    let mut regions = Regions::of(&source);
    let mut replaced = String::new();
    let mut copied = 0;
    environment.constants = Constants::Replaced;
    for index in 0..source.tokens.len() {
        let Some(word) = source.word(index) else {
            continue;
        };
        regions.enter(&source, index, word);
        let found = match regions.is_argument(index, word) {
            true => environment.alternatives(word),
            false => continue,
        };
        if found.len() != 1 || !found[0].definition.is_constant {
            continue;
        }
        let call = pieces(text, &source.tokens[index..=index]);
        let made = environment.variants(&call).unwrap_or_default();
        let start = source.tokens[source.start_of_path(index)].start as usize;
        if let ([variant], true) = (&made[..], start >= copied) {
            replaced.push_str(text.get(copied..start).unwrap_or_default());
            replaced.push_str(&variant.text);
            copied = source.tokens[index].end as usize;
        }
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    replaced
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Rewritten {
    /// Moves registrations and faults back to the original text.
    pub(in crate::cpp) fn place(&self, rows: &mut [Registration], faults: &mut [Fault]) {
        for row in rows {
            self.place_row(row);
        }
        for fault in faults {
            fault.at = self.span(fault.at);
        }
    }

    /// The uses that may register something, were not expanded, and are not among the registrations.
    pub(in crate::cpp) fn unread(&self, rows: &[Registration]) -> impl Iterator<Item = Unread<'_>> {
        let mut uses: Vec<Unread<'_>> = Vec::new();
        for used in self
            .uses
            .iter()
            .filter(|used| used.kind == UseKind::Registration)
        {
            let at = Span::new(used.original.start, used.original.end);
            let is_known = rows
                .iter()
                .any(|row| row.at == at || row.block.start == at.start);
            if let Some(why) = used.why.as_deref().filter(|_| !is_known) {
                let name = &used.name;
                uses.push(Unread { name, at, why });
            }
        }
        uses.into_iter()
    }

    fn place_row(&self, row: &mut Registration) {
        let of_call = self.within(row.at);
        let of_block = self.within(row.block);
        if let Some(used) = self.around(row.at.start) {
            row.through.clone_from(&used.name);
            let parts = [used.condition.as_deref(), row.condition.as_deref()];
            let parts: Vec<&str> = parts.into_iter().flatten().collect();
            row.condition = (!parts.is_empty()).then(|| parts.join(", within ").into());
        } else if let Some(used) = self.around(row.block.start)
            && row.through.contains("LIBRARY")
        {
            row.through.clone_from(&used.name);
        }
        let unsure = of_call
            .iter()
            .chain(of_block)
            .find(|used| used.why.is_some());
        if let Some(used) = unsure {
            row.unresolved.clone_from(&used.why);
            for part in [&mut row.key, &mut row.namespace, &mut row.operator] {
                *part = part.take().filter(|text| *text != used.name);
            }
        }
        row.at = self.span(row.at);
        row.block = self.span(row.block);
    }

    /// The use whose expansion holds a place.
    fn around(&self, at: u32) -> Option<&Use> {
        let after = self.uses.partition_point(|used| used.expanded.start <= at);
        let used = self.uses.get(after.checked_sub(1)?)?;
        (at < used.expanded.end).then_some(used)
    }

    /// The uses in a span or around it.
    fn within(&self, at: Span) -> &[Use] {
        let from = self
            .uses
            .partition_point(|used| used.expanded.end <= at.start);
        let to = self
            .uses
            .partition_point(|used| used.expanded.start < at.end);
        self.uses.get(from..to.max(from)).unwrap_or_default()
    }

    fn span(&self, at: Span) -> Span {
        let start = match self.around(at.start) {
            Some(used) => used.original.start,
            None => self.original(at.start),
        };
        let last = at.end.saturating_sub(1).max(at.start);
        let end = match self.around(last) {
            Some(used) => used.original.end,
            None => self.original(at.end),
        };
        Span::new(start, end.max(start))
    }

    /// The place in the original of one outside expansions.
    fn original(&self, at: u32) -> u32 {
        let after = self.uses.partition_point(|used| used.expanded.end <= at);
        match after.checked_sub(1).and_then(|last| self.uses.get(last)) {
            // One blank follows what a use expands to.
            Some(used) => used.original.end + at.saturating_sub(used.expanded.end + 1),
            None => at,
        }
    }
}

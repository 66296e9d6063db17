//! Literal (`|`) and folded (`>`) block scalars.

use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use super::cursor::is_blank;
use super::decoded::Draft;
use super::{Scanned, Scanner, Style, TokenKind, offset, syntax_error};

#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

struct Block {
    start: usize,
    end: usize,
    style: Style,
    chomping: Chomping,
    draft: Draft,
}

impl Scanner<'_> {
    /// libyaml: yaml_parser_scan_block_scalar.
    pub(super) fn fetch_block_scalar(&mut self, style: Style) -> Scanned<()> {
        self.remove_simple_key()?;
        self.key_allowed = true;
        let start = self.cursor.pos;
        self.cursor.skip(1);
        let (chomping, increment) = self.block_header(start)?;
        let mut block = Block {
            start,
            end: self.cursor.pos,
            style,
            chomping,
            draft: self.decoded.begin(),
        };
        self.end_block_header(start)?;
        let fixed = increment.map(|more| self.indent.max(0) as usize + more);
        let gap = self.cursor.pos;
        let indent = self.skip_block_gap(fixed, start)?;
        self.block_lines(&mut block, indent, gap)?;
        let value = self.decoded.finish(block.draft, self.text.len());
        let span = Span::new(offset(start), offset(block.end));
        self.push(TokenKind::Scalar(style, value), span);
        Ok(())
    }

    fn block_header(&mut self, start: usize) -> Scanned<(Chomping, Option<usize>)> {
        let mut chomping = self.chomping_indicator();
        let digit = self.cursor.peek(0);
        if !digit.is_ascii_digit() {
            return Ok((chomping.unwrap_or(Chomping::Clip), None));
        }
        if digit == b'0' {
            return Err(self.block_error(start, "the indentation indicator cannot be 0"));
        }
        self.cursor.skip(1);
        if chomping.is_none() {
            chomping = self.chomping_indicator();
        }
        let increment = usize::from(digit - b'0');
        Ok((chomping.unwrap_or(Chomping::Clip), Some(increment)))
    }

    fn chomping_indicator(&mut self) -> Option<Chomping> {
        let chomping = match self.cursor.peek(0) {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.cursor.skip(1);
        Some(chomping)
    }

    fn end_block_header(&mut self, start: usize) -> Scanned<()> {
        self.cursor.skip_blanks();
        if self.cursor.peek(0) == b'#' {
            self.cursor.skip_line_rest();
        }
        if !self.cursor.break_or_end() {
            return Err(self.block_error(
                start,
                "expected the text of a block scalar on the next line",
            ));
        }
        self.cursor.skip_break();
        Ok(())
    }

    /// Adds lines indented by `indent` columns. The blank lines before the first began at `gap`.
    fn block_lines(&mut self, block: &mut Block, indent: usize, mut gap: usize) -> Scanned<()> {
        // The previous line break, and whether that line began with a blank.
        let mut broken = None;
        let mut after_blank = false;
        while self.cursor.column() == indent && !self.cursor.at_end() {
            let from = self.cursor.pos;
            let blank = is_blank(self.cursor.peek(0));
            let folds = block.style == Style::Folded && !after_blank && !blank;
            self.join_lines(block.draft, broken, (gap, from), folds);
            after_blank = blank;
            self.cursor.skip_line_rest();
            let to = self.cursor.pos;
            if !self.cursor.break_or_end() {
                return Err(self.no_token(0));
            }
            self.decoded.copy(block.draft, self.text, from, to);
            block.end = to;
            self.cursor.skip_break();
            gap = self.cursor.pos;
            broken = Some((to, gap));
            self.skip_block_gap(Some(indent), block.start)?;
        }
        if let Some((from, to)) = broken
            && block.chomping != Chomping::Strip
        {
            self.decoded.put_breaks(block.draft, self.text, from, to);
        }
        if block.chomping == Chomping::Keep {
            self.decoded
                .put_breaks(block.draft, self.text, gap, self.cursor.pos);
        }
        Ok(())
    }

    fn join_lines(
        &mut self,
        draft: Draft,
        broken: Option<(usize, usize)>,
        gap: (usize, usize),
        folds: bool,
    ) {
        let text = self.text;
        if let Some((from, to)) = broken {
            let wide = matches!(text.get(from..to), Some("\u{2028}" | "\u{2029}"));
            let no_blank_lines = text
                .get(gap.0..gap.1)
                .unwrap_or("")
                .trim_start_matches(' ')
                .is_empty();
            if !folds || wide {
                self.decoded.put_breaks(draft, text, from, to);
            } else if no_blank_lines {
                self.decoded.put(draft, " ", from, gap.1);
            }
        }
        self.decoded.put_breaks(draft, text, gap.0, gap.1);
    }

    /// Passes blank lines and the indentation of the next line, up to `indent` columns; without
    /// `indent`, finds it. libyaml: yaml_parser_scan_block_scalar_breaks.
    fn skip_block_gap(&mut self, indent: Option<usize>, start: usize) -> Scanned<usize> {
        let mut widest = 0;
        loop {
            let inside = |column: usize| indent.is_none_or(|indent| column < indent);
            while inside(self.cursor.column()) && self.cursor.peek(0) == b' ' {
                self.cursor.skip(1);
            }
            widest = widest.max(self.cursor.column());
            if inside(self.cursor.column()) && self.cursor.peek(0) == b'\t' {
                let at = self.cursor.pos;
                let span = Span::new(offset(at), offset(at + 1));
                let header = Span::new(offset(start), offset(start + 1));
                return Err(
                    syntax_error(span, "tab in the indentation of a block scalar")
                        .with_help("indent with spaces")
                        .with_related("the block scalar starts here", header)
                        .into(),
                );
            }
            if self.cursor.break_len(0) == 0 {
                break;
            }
            self.cursor.skip_break();
        }
        let least = (self.indent + 1).max(1) as usize;
        Ok(indent.unwrap_or(widest.max(least)))
    }

    fn block_error(&self, start: usize, message: &'static str) -> Box<Diagnostic> {
        let here = self.cursor.pos;
        let span = Span::new(offset(start), offset(here));
        syntax_error(span, message)
            .with_help(
                "after `|` or `>` only `+`, `-`, a digit from 1 to 9 and a comment are allowed; \
                 quote the value if it is text",
            )
            .into()
    }
}

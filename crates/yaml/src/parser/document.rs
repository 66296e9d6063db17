//! Documents and their directives.

use opatlas_source::{Span, message};

use super::super::limit_error;
use super::super::scanner::{Scanned, TagText, Token, TokenKind};
use super::super::tag::Tag;
use super::{Ending, Event, Parser, Place, State};

const MOST_HANDLES: usize = 100;

impl Parser<'_> {
    pub(super) fn document_start(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        let implicit = self.state == State::ImplicitDocumentStart;
        if !implicit {
            while matches!(token.kind, TokenKind::DocumentEnd) {
                token = self.after()?;
            }
        }
        match token.kind {
            TokenKind::StreamEnd => {
                self.state = State::End;
                Ok(Event::StreamEnd)
            }
            TokenKind::Version(..) | TokenKind::TagDirective(_) | TokenKind::DocumentStart => {
                self.explicit_start()
            }
            _ if implicit => {
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                Ok(Event::DocumentStart(Span::at(token.span.start)))
            }
            _ => self.unexpected(
                token,
                "this line is outside the list or mapping of the file",
                "indent it like its neighbours: the items of a list, or the keys of a mapping, \
                 start in one column",
            ),
        }
    }

    fn explicit_start(&mut self) -> Scanned<Event> {
        let start = self.directives()?;
        if !matches!(start.kind, TokenKind::DocumentStart) {
            return self.unexpected(
                start,
                "expected `---` after the directives",
                "add a line `---` after the `%` lines, or remove them",
            );
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.scanner.take();
        Ok(Event::DocumentStart(start.span))
    }

    fn directives(&mut self) -> Scanned<Token> {
        let mut version = false;
        let mut token = self.peek()?;
        self.handles.clear();
        loop {
            match token.kind {
                TokenKind::Version(major, minor) => {
                    self.check_version(token, (major, minor), version)?;
                    version = true;
                }
                TokenKind::TagDirective(number) => self.define_handle(token, number)?,
                _ => return Ok(token),
            }
            token = self.after()?;
        }
    }

    fn check_version(&self, token: Token, version: (u32, u32), again: bool) -> Scanned<()> {
        if again {
            return self.unexpected(token, "duplicate `%YAML` directive", "remove it");
        }
        if let (1, 1 | 2) = version {
            return Ok(());
        }
        let (major, minor) = version;
        self.unexpected(
            token,
            message!("PyTorch's reader does not support YAML {}.{}", major, minor),
            "write `%YAML 1.1`, or remove the line",
        )
    }

    fn define_handle(&mut self, token: Token, number: usize) -> Scanned<()> {
        let directive = self.scanner.directives[number].clone();
        let known = |known: &TagText| known.handle == directive.handle;
        if self.handles.iter().any(known) {
            return self.unexpected(token, "duplicate tag handle", "remove one of the two");
        }
        if self.handles.len() >= MOST_HANDLES {
            let message = message!("the file defines more than {} tag handles", MOST_HANDLES);
            return Err(limit_error(token.span, message).into());
        }
        self.handles.push(directive);
        Ok(())
    }

    pub(super) fn document_content(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Version(..)
            | TokenKind::TagDirective(_)
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.pop();
                let state = self.state;
                self.empty(token.span.start, state)
            }
            _ => self.node(Place::Block),
        }
    }

    pub(super) fn document_end(&mut self) -> Scanned<Event> {
        let marked = matches!(self.peek()?.kind, TokenKind::DocumentEnd);
        if marked {
            self.scanner.take();
        }
        self.handles.clear();
        self.state = State::DocumentStart;
        Ok(Event::DocumentEnd(if marked {
            Ending::Marked
        } else {
            Ending::Implicit
        }))
    }

    pub(super) fn resolve_tag(&self, number: usize, token: Token) -> Scanned<Tag> {
        let tag = &self.scanner.tags[number];
        if tag.handle.is_empty() {
            return Ok(Tag::from_name(&tag.rest));
        }
        let defined = self.handles.iter().find(|known| known.handle == tag.handle);
        let prefix = match (defined, &*tag.handle) {
            (Some(known), _) => &*known.rest,
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            (None, _) => {
                return self.unexpected(
                    token,
                    "undefined tag handle",
                    "define it with `%TAG` before the document, or quote the value if `!` belongs \
                     to it",
                );
            }
        };
        Ok(Tag::from_name(&format!("{prefix}{}", tag.rest)))
    }
}

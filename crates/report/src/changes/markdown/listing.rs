//! A list under a heading, which may be split over several pieces, each with its own heading.

use std::borrow::Cow;

use super::item::{Item, SHORT_NAME, chars, fits, in_full, short_name};
use crate::changes::outline::Class;
use crate::changes::{Report, count};
use crate::escape::{code_cell, cut, html};

/// Longer lists are folded.
const FOLDED: usize = 8;

/// A list under a heading.
pub(super) struct Listing<'a> {
    pub class: Class,
    /// The heading's line, without its end.
    pub title: String,
    /// What holds for all rows: items of a list, each with its end.
    pub meta: String,
    /// What comes right before the rows: the head of a table.
    pub header: &'static str,
    pub rows: Vec<Row<'a>>,
    /// The separator between rows.
    pub separator: &'static str,
    /// What a row is about.
    pub what: &'static str,
    /// Whether a long list is folded.
    pub is_folded: bool,
}

/// One row.
pub(super) struct Row<'a> {
    /// The operator or file, for the summary of a folded list.
    pub name: Option<&'a str>,
    pub text: String,
    /// Instead of `text` where that alone is over the room.
    pub short: Short<'a>,
    pub changes: Vec<usize>,
}

/// What stands for a row that is over the room. Few are, so it is rendered only then.
pub(super) enum Short<'a> {
    /// A text with its end.
    Text(Cow<'static, str>),
    /// An operator in a list.
    Operator(&'a str),
    /// An operator in the table of new ones.
    New(&'a str),
    /// So many consequences.
    Consequences(usize),
}

impl Short<'_> {
    pub(super) fn text(&self, report: &Report<'_>) -> Cow<'_, str> {
        let full = || in_full(report);
        Cow::Owned(match self {
            Self::Text(text) => return Cow::Borrowed(text),
            Self::Operator(name) => format!("- {}: {}\n", short_name(name), full()),
            Self::New(name) => {
                let name = code_cell(&cut(name, SHORT_NAME));
                format!("| {name} | {} | | | | |\n", full())
            }
            Self::Consequences(number) => {
                format!("- {}: {}\n", count(*number, "consequence"), full())
            }
        })
    }
}

impl Listing<'_> {
    /// One item, or as many as the room asks for.
    pub(super) fn items(self, report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
        let whole = self.item(report, 0..self.rows.len(), &self.meta, false);
        if fits(&whole.text, room) {
            return vec![whole];
        }
        let room = room.unwrap_or(usize::MAX);
        // What holds for all rows is left off where it would leave no room for them.
        let is_brief = chars(&self.meta) + chars(&self.title) + 600 > room;
        let meta = if is_brief { "" } else { &self.meta };
        let lengths: Vec<usize> = self.rows.iter().map(|row| chars(&row.text)).collect();
        let mut items = Vec::new();
        let mut start = 0;
        while start < self.rows.len() {
            // As many rows as may fit, then fewer until they do with the heading around them.
            let (mut end, mut sum) = (start, 0);
            while end < self.rows.len() && sum + lengths[end] <= room {
                sum += lengths[end] + self.separator.len();
                end += 1;
            }
            end = end.max(start + 1);
            let mut item = self.item(report, start..end, meta, false);
            while chars(&item.text) > room && end > start + 1 {
                end -= 1;
                item = self.item(report, start..end, meta, false);
            }
            if chars(&item.text) > room {
                item = self.item(report, start..end, meta, true);
            }
            items.push(item);
            start = end;
        }
        items
    }

    fn item(
        &self,
        report: &Report<'_>,
        range: std::ops::Range<usize>,
        meta: &str,
        is_short: bool,
    ) -> Item {
        let rows = &self.rows[range.clone()];
        let all = self.rows.len();
        let mut text = format!("\n{}", self.title);
        if rows.len() < all {
            text.push_str(&format!(" ({} to {} of {all})", range.start + 1, range.end));
        }
        text.push_str("\n\n");
        text.push_str(meta);
        let mut list = self.header.to_owned();
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                list.push_str(self.separator);
            }
            match is_short {
                true => list.push_str(&row.short.text(report)),
                false => list.push_str(&row.text),
            }
        }
        if !self.separator.is_empty() {
            list.push('\n');
        }
        if self.is_folded && rows.len() > FOLDED {
            let names = rows.iter().filter_map(|row| row.name).take(3);
            let names: Vec<String> = names.map(html_code).collect();
            text.push_str(&format!(
                "\n<details><summary>{}: {}, …</summary>\n\n{list}\n</details>\n",
                count(rows.len(), self.what),
                names.join(", ")
            ));
        } else {
            if !self.separator.is_empty() && !meta.is_empty() {
                text.push('\n');
            }
            text.push_str(&list);
        }
        if is_short && report.permalink.is_none() {
            text.push('\n');
        }
        Item {
            class: self.class,
            text,
            changes: rows.iter().flat_map(|row| row.changes.clone()).collect(),
            is_short,
        }
    }
}

/// Code in a summary, in which Markdown is not read.
fn html_code(text: &str) -> String {
    format!("<code>{}</code>", html(&cut(text, 60)))
}

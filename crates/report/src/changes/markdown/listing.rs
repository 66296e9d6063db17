//! A list under a heading. It may be split into several pieces, each with its own heading.

use super::item::{Item, chars, fits, in_full, short_name};
use crate::changes::outline::Class;
use crate::changes::{Report, count};
use crate::escape::{cut, html};

/// Longer lists are folded.
const FOLDED: usize = 8;

pub(super) struct Listing<'a> {
    pub class: Class,
    pub title: String,
    /// List items that apply to all rows.
    pub meta: String,
    pub header: &'static str,
    pub rows: Vec<Row<'a>>,
    pub separator: &'static str,
    pub what: &'static str,
    pub is_folded: bool,
}

pub(super) struct Row<'a> {
    pub name: Option<&'a str>,
    pub text: String,
    /// Replaces `text` if that alone does not fit into the room.
    pub short: String,
    pub changes: Vec<usize>,
}

pub(super) fn short_row(report: &Report<'_>, operator: &str) -> String {
    format!("- {}: {}\n", short_name(operator), in_full(report))
}

impl Listing<'_> {
    pub(super) fn items(self, report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
        let whole = self.item(report, 0..self.rows.len(), &self.meta, false);
        if fits(&whole.text, room) {
            return vec![whole];
        }
        let room = room.unwrap_or(usize::MAX);
        // `meta` is left out if it would leave no room for rows.
        let is_brief = chars(&self.meta) + chars(&self.title) + 600 > room;
        let meta = if is_brief { "" } else { &self.meta };
        let lengths: Vec<usize> = self.rows.iter().map(|row| chars(&row.text)).collect();
        let mut items = Vec::new();
        let mut start = 0;
        while start < self.rows.len() {
            // Take as many rows as may fit, then remove some until they fit with the heading.
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
            list.push_str(if is_short { &row.short } else { &row.text });
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

fn html_code(text: &str) -> String {
    format!("<code>{}</code>", html(&cut(text, 60)))
}

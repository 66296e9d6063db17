//! A bullet with folded rows below it. One that does not fit into the room is split into several,
//! each with the bullet.

use super::item::{Item, chars, fits};
use super::listing::Row;
use crate::changes::outline::Class;

pub(super) struct Block<'a> {
    pub class: Class,
    pub title: String,
    /// Replaces `title` if that alone does not fit into the room.
    pub short: String,
    pub lines: String,
    pub summary: String,
    pub rows: Vec<Row<'a>>,
    pub changes: Vec<usize>,
}

impl Block<'_> {
    pub(super) fn items(self, room: Option<usize>) -> Vec<Item> {
        let whole = self.item(0..self.rows.len(), &self.title, &self.lines, false);
        if fits(&whole.text, room) {
            return vec![whole];
        }
        let room = room.unwrap_or(usize::MAX);
        let is_brief = chars(&self.title) + chars(&self.lines) + 700 > room;
        let (title, lines) = if is_brief {
            (&*self.short, "")
        } else {
            (&*self.title, &*self.lines)
        };
        let mut items = Vec::new();
        let mut start = 0;
        while start < self.rows.len() || items.is_empty() {
            let (mut end, mut sum) = (start, 0);
            while end < self.rows.len() && sum + chars(&self.rows[end].text) < room {
                sum += chars(&self.rows[end].text) + INDENT.len();
                end += 1;
            }
            let lines = if start == 0 { lines } else { "" };
            let mut item = self.item(start..end, title, lines, is_brief);
            while chars(&item.text) > room && end > start + 1 {
                end -= 1;
                item = self.item(start..end, title, lines, is_brief);
            }
            if chars(&item.text) > room || (end == start && start < self.rows.len()) {
                end = (start + 1).min(self.rows.len());
                item = self.item(start..end, &self.short, "", true);
            }
            items.push(item);
            start = end;
        }
        items
    }

    fn item(
        &self,
        range: std::ops::Range<usize>,
        title: &str,
        lines: &str,
        is_short: bool,
    ) -> Item {
        let rows = &self.rows[range.clone()];
        let all = self.rows.len();
        let part = if rows.len() < all {
            format!(" ({} to {} of {all})", range.start + 1, range.end)
        } else {
            String::new()
        };
        let mut text = format!("\n{title}\n{lines}");
        if !rows.is_empty() {
            let summary = &self.summary;
            text.push_str(&format!(
                "{INDENT}<details><summary>{summary}{part}</summary>\n\n"
            ));
            for row in rows {
                text.push_str(INDENT);
                text.push_str(if is_short { &row.short } else { &row.text });
            }
            text.push_str(&format!("\n{INDENT}</details>\n"));
        }
        let mut changes: Vec<usize> = rows.iter().flat_map(|row| row.changes.clone()).collect();
        if range.start == 0 {
            changes.extend(&self.changes);
        }
        Item {
            class: self.class,
            text,
            changes,
            is_short,
        }
    }
}

/// The indentation of lines below a bullet.
pub(super) const INDENT: &str = "  ";

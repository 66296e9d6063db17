//! Publishes a report as comments, one per part. The first line of each is hidden and has the
//! number of the part. A run edits existing comments, posts missing ones and deletes the rest, but
//! never touches comments of other accounts.

use std::collections::BTreeMap;
use std::fmt;

use super::site::{Comment, Site};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    created: usize,
    updated: usize,
    unchanged: usize,
    deleted: usize,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.created, "posted"),
            (self.updated, "updated"),
            (self.unchanged, "unchanged"),
            (self.deleted, "deleted"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0);
        let shown: Vec<String> = counts.map(|(n, what)| format!("{n} {what}")).collect();
        f.write_str(&shown.join(", "))
    }
}

fn mark(name: &str, part: usize) -> String {
    format!("<!-- opatlas {name} {part} -->")
}

fn part_of(comment: &Comment, name: &str) -> Option<usize> {
    let first = comment.body.as_deref()?.lines().next()?.trim_end();
    let number = first
        .strip_prefix(&format!("<!-- opatlas {name} "))?
        .strip_suffix(" -->")?;
    number.parse().ok().filter(|number| *number > 0)
}

fn own(site: &Site, pull: u64, name: &str) -> anyhow::Result<BTreeMap<usize, Vec<Comment>>> {
    let all = site.comments(pull)?.into_iter();
    let marked: Vec<(usize, Comment)> = all
        .filter_map(|comment| Some((part_of(&comment, name)?, comment)))
        .collect();
    let is_bot = |comment: &Comment| comment.user.as_ref().is_some_and(|u| u.kind == "Bot");
    // Anybody may write such a line, but only installed apps are bots. A person's token finds that
    // person's comments.
    let login = if marked.iter().all(|(_, comment)| is_bot(comment)) {
        None
    } else {
        site.login()?
    };
    let is_own = |comment: &Comment| {
        let author = comment.user.as_ref().map(|user| &user.login);
        is_bot(comment) || author.is_some() && author == login.as_ref()
    };
    let mut own: BTreeMap<usize, Vec<Comment>> = BTreeMap::new();
    for (part, comment) in marked {
        if is_own(&comment) {
            own.entry(part).or_default().push(comment);
        }
    }
    for comments in own.values_mut() {
        comments.sort_unstable_by_key(|comment| comment.id);
    }
    Ok(own)
}

/// Fails if the site refuses, or fails for too long. The next run continues.
pub(super) fn publish(
    site: &Site,
    pull: u64,
    name: &str,
    parts: &[String],
) -> anyhow::Result<Done> {
    let mut known = own(site, pull, name)?;
    let mut done = Done::default();
    for (i, text) in parts.iter().enumerate() {
        let number = i + 1;
        let body = format!("{}\n{text}", mark(name, number));
        let mut comments = known.remove(&number).unwrap_or_default().into_iter();
        match comments.next() {
            Some(comment) if is_same(&comment, &body) => done.unchanged += 1,
            Some(comment) if site.update(comment.id, &body)? => done.updated += 1,
            _ => {
                let is_there = || Ok(own(site, pull, name)?.contains_key(&number));
                site.create(pull, &body, is_there)?;
                done.created += 1;
            }
        }
        // Concurrent runs may both have posted one.
        known.insert(number, comments.collect());
    }
    for comment in known.into_values().flatten() {
        site.delete(comment.id)?;
        done.deleted += 1;
    }
    Ok(done)
}

/// Whether a comment has this text, apart from line endings and trailing whitespace.
fn is_same(comment: &Comment, body: &str) -> bool {
    let lines = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    comment
        .body
        .as_deref()
        .is_some_and(|old| lines(old) == lines(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(body: &str) -> Option<usize> {
        let comment = Comment {
            id: 1,
            body: Some(body.to_owned()),
            user: None,
        };
        part_of(&comment, "operators")
    }

    #[test]
    fn a_part_is_known_by_its_first_line() {
        assert_eq!(part(&format!("{}\ntext", mark("operators", 12))), Some(12));
        assert_eq!(part("<!-- opatlas operators 2 -->\r\ntext"), Some(2));
        for other in [
            "",
            "text",
            "> <!-- opatlas operators 2 -->",
            "text\n<!-- opatlas operators 2 -->",
            "<!-- opatlas other 2 -->",
            "<!-- opatlas operators 0 -->",
            "<!-- opatlas operators two -->",
            "<!-- opatlas operators 2 --> and more",
        ] {
            assert_eq!(part(other), None, "{other}");
        }
    }

    #[test]
    fn what_was_done_is_said_in_a_line() {
        let done = Done {
            created: 1,
            unchanged: 2,
            ..Done::default()
        };
        assert_eq!(done.to_string(), "1 posted, 2 unchanged");
    }
}

//! All that is to be said of one operator.

use super::item::{Item, fits, impacts, in_full, line, lines, rule, short_name};
use super::marked;
use crate::changes::advice::why;
use crate::changes::outline::{Class, Group, weight};
use crate::changes::{Report, accept, help, message, official, verdict};
use crate::escape::{code, markdown};
use opatlas_diff::policy::Judged;
use opatlas_diff::rules::Level;
use opatlas_diff::{Change, Fragment, Part};
use opatlas_source::Span;

/// The operator's block; a short one where it is longer than the room.
pub(super) fn item(report: &Report<'_>, group: &Group<'_>, room: Option<usize>) -> Item {
    let whole = block(report, group);
    let is_short = !fits(&whole, room);
    Item {
        class: group.class,
        text: if is_short {
            short(report, group)
        } else {
            whole
        },
        changes: group.all(),
        is_short,
    }
}

/// The changes shown in full, and those listed at the end.
fn parted<'a>(report: &Report<'a>, group: &Group<'_>) -> (Vec<&'a Judged>, Vec<&'a Judged>) {
    let changes = &report.judgement.changes;
    let all = group.changes.iter().map(|&i| &changes[i]);
    let (mut long, mut brief): (Vec<_>, Vec<_>) =
        all.partition(|judged| weight(judged) >= Level::Dangerous || judged.excuse.is_some());
    if long.is_empty() {
        long.append(&mut brief);
    }
    (long, brief)
}

fn block(report: &Report<'_>, group: &Group<'_>) -> String {
    let (long, brief) = parted(report, group);
    let name = code(group.operator);
    let accepted = match group.class {
        Class::Excused => "Accepted: ",
        _ => "",
    };
    let mut text = match long.as_slice() {
        [one] => format!(
            "\n#### {accepted}{name}: {}\n\n",
            markdown(&message(&one.change))
        ),
        several => format!("\n#### {accepted}{name}: {} changes\n\n", several.len()),
    };
    if let [one] = long.as_slice() {
        text.push_str(&format!("- {}\n", weighed(report, one)));
        sides(report, group, &long, &mut text);
        official(report, group, &mut text);
        advice(report, one, "", true, &mut text);
    } else {
        sides(report, group, &long, &mut text);
        official(report, group, &mut text);
        let mut explained = None;
        for judged in &long {
            let told = markdown(&message(&judged.change));
            text.push_str(&format!("- {told} · {}\n", weighed(report, judged)));
            let rule = Some(judged.change.rule.id);
            let is_new = explained != rule;
            explained = rule;
            advice(report, judged, "  ", is_new, &mut text);
        }
    }
    for judged in &brief {
        let told = markdown(&message(&judged.change));
        text.push_str(&format!(
            "- also: {told} · {}\n",
            rule(report, judged.change.rule)
        ));
    }
    text
}

/// Rule, level, and affected audiences.
fn weighed(report: &Report<'_>, judged: &Judged) -> String {
    let change = &judged.change;
    let mut text = format!("{} · **{}**", rule(report, change.rule), judged.level);
    let hurt = impacts(change.impacts);
    if !hurt.is_empty() {
        text.push_str(&format!(" · {hurt}"));
    }
    if let Some(standing) = verdict::standing(report, judged) {
        text.push_str(&format!(" · **{}**", markdown(&standing)));
    }
    text
}

/// Old and new: the schemas with what changed marked, or the fields.
fn sides(report: &Report<'_>, group: &Group<'_>, changes: &[&Judged], out: &mut String) {
    let fragments = |side: fn(&Change) -> Option<&Fragment>| -> Vec<&Fragment> {
        changes
            .iter()
            .filter_map(|judged| side(&judged.change))
            .collect()
    };
    let old = fragments(|change| change.old.as_ref());
    let new = fragments(|change| change.new.as_ref());
    let mut add = |word: &str, place: Option<String>, shown: String| {
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        out.push_str(&format!("- {word}{place}: {shown}\n"));
    };
    if let Some(pair) = group.pair {
        if let Some(schema) = &pair.old {
            let place = line(&report.base, old.first().copied());
            add("old", place, marked::schema(schema, &marks(changes, false)));
        }
        if let Some(schema) = &pair.new {
            let place = line(&report.head, new.first().copied());
            add("new", place, marked::schema(schema, &marks(changes, true)));
        }
        return;
    }
    let [one] = changes else {
        return;
    };
    for (word, side, fragment) in [
        ("old", &report.base, one.change.old.as_ref()),
        ("new", &report.head, one.change.new.as_ref()),
    ] {
        if let Some(fragment) = fragment {
            let shown = match &*fragment.text {
                "" => "nothing".to_owned(),
                text => code(text),
            };
            add(word, line(side, Some(fragment)), shown);
        }
    }
}

/// What changed in the schema of one side: where both sides have the piece, only what differs.
fn marks(changes: &[&Judged], is_new: bool) -> Vec<Span> {
    let of_change = |judged: &&Judged| {
        let (old, new) = (judged.change.old.as_ref(), judged.change.new.as_ref());
        let (own, other) = if is_new { (new, old) } else { (old, new) };
        let own = own?;
        match other.filter(|other| other.mark.is_some()) {
            Some(other) => marked::difference(own, other),
            None => own.mark,
        }
    };
    changes.iter().filter_map(of_change).collect()
}

fn official(report: &Report<'_>, group: &Group<'_>, out: &mut String) {
    let changes = &report.judgement.changes;
    let own = || group.changes.iter().map(|&i| &changes[i].change);
    let is_about_exception = own().all(|change| change.rule.id.as_str().starts_with("allow-"));
    if is_about_exception {
        return;
    }
    let verdict = official::verdict(group.pair);
    out.push_str(&format!(
        "- PyTorch's own check: {}\n",
        emphasised(&verdict)
    ));
    let reason = official::disagreement(group.pair, own());
    if let Some(reason) = reason.filter(|_| group.pair.is_some()) {
        out.push_str(&format!(
            "- it differs from Opatlas: {}\n",
            markdown(&reason)
        ));
    }
}

/// Escapes a verdict but for its emphasis on `no`.
fn emphasised(verdict: &str) -> String {
    let parts: Vec<String> = verdict.split("**no**").map(markdown).collect();
    parts.join("**no**")
}

/// Why it matters, unless the change before it said so, what to do instead, how to accept it.
fn advice(
    report: &Report<'_>,
    judged: &Judged,
    indent: &str,
    is_explained: bool,
    out: &mut String,
) {
    let change = &judged.change;
    let mut add = |text: String| out.push_str(&format!("{indent}- {text}\n"));
    let is_field = change
        .new
        .as_ref()
        .or(change.old.as_ref())
        .is_some_and(|fragment| fragment.part == Part::Field);
    if !indent.is_empty()
        && is_field
        && let Some(lines) = lines(report, change)
    {
        add(format!("at {lines}"));
    }
    if !change.also.is_empty() {
        let names: Vec<String> = change.also.iter().map(|name| code(name)).collect();
        add(format!("also applies to {}", names.join(", ")));
    }
    if judged.is_excused() {
        return;
    }
    if is_explained {
        add(format!("why: {}", markdown(why(change.rule))));
    }
    if let Some(help) = help(change) {
        add(format!("instead: {}", markdown(&help)));
    }
    let fails = report
        .policy
        .fail_on
        .is_some_and(|least| judged.level >= least);
    if fails && judged.is_counted() && !change.rule.id.as_str().starts_with("allow-") {
        add(format!("to accept it: {}", code(&accept(change))));
    }
}

/// The rules alone, where the whole is too long.
fn short(report: &Report<'_>, group: &Group<'_>) -> String {
    const NAMED: usize = 5;
    let changes = &report.judgement.changes;
    let mut rules: Vec<&str> = group
        .changes
        .iter()
        .map(|&i| changes[i].change.rule.id.as_str())
        .collect();
    rules.dedup();
    let more = rules.len().saturating_sub(NAMED);
    rules.truncate(NAMED);
    let mut named = rules.join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    format!(
        "\n#### {}: **{}**, {named} ({})\n",
        short_name(group.operator),
        group.level,
        in_full(report)
    )
}

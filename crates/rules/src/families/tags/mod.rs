//! Tags of entries. The parser of `tags.yaml` reports its faults.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{Field, Placed, TagName};
use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_schema::types::BaseType;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, message};

use crate::scope::field_edit::adding;
use crate::scope::places::name_place;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

const SEEDED: &str = "nondeterministic_seeded";

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    let is_unread = catalogue.tags.all().is_empty() && !catalogue.tags_diagnostics.is_empty();
    for placed in sink.while_wanted(scope.entries()) {
        for tag in &placed.entry.tags {
            if !is_unread && !catalogue.tags.allows(&tag.value) {
                unknown(catalogue, placed, tag, sink);
            }
        }
    }
    for subject in sink.while_wanted(scope.subjects()) {
        random(&subject, catalogue.release, sink);
    }
}

/// The maximum number of tags in a help text.
const MOST_LISTED: usize = 100;

fn clipped(name: &str) -> &str {
    &name[..name.floor_char_boundary(200)]
}

fn unknown(catalogue: &Catalogue, placed: &PlacedEntry, tag: &Placed<TagName>, sink: &mut Sink) {
    let rule = RuleId::Tags;
    let name = match &tag.value {
        TagName::Text(name) | TagName::Scalar(name) => name,
        TagName::Collection => {
            let diagnostic = Diagnostic::new(rule, tag.at, "a tag must be a string")
                .with_help("write a list of names, such as `[core, pointwise]`");
            return sink.entry(placed, diagnostic);
        }
    };
    if sink.is_full(rule) {
        let message = message!("unknown tag `{}`", clipped(name).escape_debug());
        return sink.entry(placed, Diagnostic::new(rule, tag.at, message));
    }
    let parts: Vec<&str> = name.split(',').map(str::trim).collect();
    let is_list = parts.len() > 1 && parts.iter().all(|part| catalogue.tags.find(part).is_some());
    let shown = name.escape_debug();
    let diagnostic = if is_list {
        let list = format!("[{}]", parts.join(", "));
        Diagnostic::new(
            rule,
            tag.at,
            message!("`{}` is parsed as a single tag", shown),
        )
        .with_help(message!("write a list: `{}`", list))
        .with_safe_fix(tag.at, list)
    } else {
        let message = message!("unknown tag `{}`", shown);
        let names = || catalogue.tags.all().iter().map(|tag| &*tag.name);
        let diagnostic = Diagnostic::new(rule, tag.at, message);
        match sink.suggestions.near(name, names()) {
            Some(near) => diagnostic.with_near_name(tag.at, near),
            None if catalogue.tags.all().is_empty() => {
                diagnostic.with_help("declare it: `tags.yaml` declares no tags")
            }
            None => {
                let list: Vec<&str> = names().take(MOST_LISTED).collect();
                let more = match names().count() - list.len() {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                diagnostic.with_help(message!("the known tags are {}{}", list.join(", "), more))
            }
        }
    };
    sink.entry(placed, diagnostic);
}

fn random(subject: &Subject<'_>, release: Release, sink: &mut Sink) {
    let Some((at, cause)) = randomness(subject, release) else {
        return;
    };
    let entry = subject.entry();
    let is_tagged = entry
        .tags
        .iter()
        .any(|tag| matches!(&tag.value, TagName::Text(name) if &**name == SEEDED));
    if is_tagged
        || entry
            .diagnostics
            .iter()
            .any(|d| d.rule == RuleId::FieldTypeList)
    {
        return;
    }
    let diagnostic = Diagnostic::new(
        RuleId::RandomNeedsSeededTag,
        at,
        message!("{}, so the operator must be tagged `{}`", cause, SEEDED),
    )
    .with_help(message!("add `tags: {}`", SEEDED));
    subject.report(sink, adding_tag(diagnostic, subject));
}

/// Where and why an operator counts as random (torchgen `NativeFunction.__post_init__`).
fn randomness(subject: &Subject<'_>, release: Release) -> Option<(Span, Message)> {
    let name = &subject.schema.name;
    let full = name.as_str();
    let lists = &release.data().name_lists;
    let at = subject.schema.name_at.0;
    let excused = |part: &str| full.contains(part);
    if full.contains("rand") && !lists.random_rule_exempt_name_parts.iter().any(excused) {
        return Some((at, message!("`{}` contains `rand`", full)));
    }
    let arguments = &subject.schema.arguments;
    let is_exempt = || lists.dropout_rule_exempt_base_names.contains(name.base());
    // Names of arguments count since 2.1.
    let named = arguments.all().iter();
    let mut named = named.filter(|a| release >= Release::V2_1 && a.name.contains("dropout"));
    let named = named.next();
    let is_dropout = full.contains("dropout");
    if (is_dropout || named.is_some()) && !full.contains("backward") && !is_exempt() {
        if is_dropout {
            return Some((at, message!("`{}` contains `dropout`", full)));
        }
        if let Some(argument) = named {
            return Some((
                name_place(argument),
                message!(
                    "the name of argument `{}` contains `dropout`",
                    argument.name
                ),
            ));
        }
    }
    let generator = arguments
        .non_out()
        .iter()
        .find(|a| a.ty.is_like(BaseType::Generator))?;
    Some((
        generator.at.0,
        message!("`{}` is a random generator", generator.name),
    ))
}

fn adding_tag(diagnostic: Diagnostic, subject: &Subject<'_>) -> Diagnostic {
    let entry = subject.entry();
    let Some(place) = entry.field(Field::Tags) else {
        return adding(
            diagnostic,
            subject.text(),
            entry,
            &format!("tags: {SEEDED}"),
        );
    };
    let text = place.value.slice(subject.text());
    let tags = match text.strip_suffix(']') {
        Some("[") => format!("[{SEEDED}]"),
        Some(list) if list.starts_with('[') => format!("{}, {SEEDED}]", list.trim_end()),
        _ if entry.tags.len() == 1 && !text.contains(['\n', '-', '#']) => {
            format!("[{text}, {SEEDED}]")
        }
        _ => return diagnostic,
    };
    diagnostic.with_fix(place.value, tags)
}

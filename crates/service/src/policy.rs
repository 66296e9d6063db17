//! Policies and exceptions as people write them: in a project, in a request, in `opatlas.toml`.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use opatlas_diff::policy::{Exception, LastRelease, PATTERN_LENGTH, Policy, Treatment, Until};
use opatlas_diff::rules;
use opatlas_diff::rules::{Level, Profile};
use opatlas_source::suggest::nearest;
use opatlas_store::ExceptionRecord;

/// The members of a policy. `_` may also be written as `-`.
const MEMBERS: [&str; 7] = [
    "profile",
    "fail_on",
    "warn_on",
    "private",
    "namespaces",
    "tags",
    "warn_days",
];

/// A policy; missing members are as in [`Policy::default`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PolicyText {
    /// The perspective that decides which changes are breaking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The lowest level that fails, or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<String>,
    /// The lowest level that warns, or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_on: Option<String>,
    /// How operators with a leading underscore are treated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<String>,
    /// How operators of a namespace are treated.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub namespaces: BTreeMap<String, String>,
    /// How operators that have a tag in the base are treated.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// How many days before its end an exception starts to warn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_days: Option<u16>,
    /// The first unknown member, whose value is not read.
    #[serde(skip)]
    pub unknown: Option<String>,
}

impl<'de> Deserialize<'de> for PolicyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PolicyVisitor)
    }
}

struct PolicyVisitor;

impl<'de> Visitor<'de> for PolicyVisitor {
    type Value = PolicyText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy, an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PolicyText, A::Error> {
        let mut text = PolicyText::default();
        let mut seen = Vec::with_capacity(MEMBERS.len());
        while let Some(written) = map.next_key::<String>()? {
            let member = written.replace('-', "_");
            let Some(member) = MEMBERS.into_iter().find(|known| *known == member) else {
                map.next_value::<IgnoredAny>()?;
                text.unknown.get_or_insert(written);
                continue;
            };
            if seen.contains(&member) {
                return Err(A::Error::duplicate_field(member));
            }
            seen.push(member);
            match member {
                "profile" => text.profile = map.next_value()?,
                "fail_on" => text.fail_on = map.next_value()?,
                "warn_on" => text.warn_on = map.next_value()?,
                "private" => text.private = map.next_value()?,
                "namespaces" => text.namespaces = map.next_value()?,
                "tags" => text.tags = map.next_value()?,
                _ => text.warn_days = map.next_value()?,
            }
        }
        Ok(text)
    }
}

/// An exception; `until` is a day or a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionText {
    /// A pattern of operators.
    pub operator: String,
    /// A pattern of rules.
    pub rule: String,
    /// A pattern of the argument, key or other subject of the change.
    #[serde(default)]
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who is responsible for it.
    #[serde(default)]
    pub owner: Option<String>,
    /// The last day, `2027-01-31`, or the last release, `2.16`, to which it applies.
    #[serde(default)]
    pub until: Option<String>,
    /// The last day on which it applies.
    #[serde(default, alias = "until-date")]
    pub until_date: Option<String>,
    /// The last release to which it applies.
    #[serde(default, alias = "until-release")]
    pub until_release: Option<String>,
    /// Whether it may match operators of several base names.
    #[serde(default)]
    pub broad: bool,
}

/// An invalid member of a policy or an exception.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}`: {why}")]
pub struct PolicyFault {
    /// The member.
    pub member: String,
    /// What is wrong with it, and what is valid.
    pub why: String,
}

/// Maximum number of exceptions in a project, a file or a request.
pub const EXCEPTIONS: usize = 1000;
/// Maximum number of exceptions with a pattern. Each is matched against every changed operator.
pub const PATTERNS: usize = 100;
/// Maximum number of namespaces and of tags in a policy.
pub const TREATMENTS: usize = 200;
const NAME: usize = 1000;

/// Rejects too many exceptions. Fails with the exceeded limit.
pub fn expect_few(exceptions: &[Exception]) -> Result<(), PolicyFault> {
    let patterns = exceptions.iter().filter(|each| each.is_pattern()).count();
    match (exceptions.len() > EXCEPTIONS, patterns > PATTERNS) {
        (false, false) => Ok(()),
        (true, _) => Err(too_many()),
        (false, true) => Err(too_many_patterns()),
    }
}

pub(super) fn expect_room(stored: &[ExceptionRecord], is_pattern: bool) -> Result<(), PolicyFault> {
    let patterns = stored.iter().filter(|r| r.operator.contains(['*', '?']));
    if stored.len() >= EXCEPTIONS {
        return Err(too_many());
    }
    if is_pattern && patterns.count() >= PATTERNS {
        Err(too_many_patterns())
    } else {
        Ok(())
    }
}

/// Keeps the first exceptions up to the limits, and returns the number of dropped ones.
pub(super) fn keep_few(exceptions: &mut Vec<Exception>) -> usize {
    let before = exceptions.len();
    let mut patterns = 0;
    exceptions.retain(|exception| {
        patterns += usize::from(exception.is_pattern());
        !exception.is_pattern() || patterns <= PATTERNS
    });
    exceptions.truncate(EXCEPTIONS);
    before - exceptions.len()
}

fn too_many() -> PolicyFault {
    let why = format!("a project can have at most {EXCEPTIONS}; remove expired ones");
    PolicyFault::new("exceptions", why)
}

fn too_many_patterns() -> PolicyFault {
    let why = format!(
        "at most {PATTERNS} can have a pattern of operators; name the operators, or combine \
         patterns"
    );
    PolicyFault::new("exceptions", why)
}

impl PolicyFault {
    pub(super) fn new(member: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            member: member.into(),
            why: why.into(),
        }
    }
}

/// Reads a policy in JSON. Fails with the first member that is unknown or has an invalid value.
pub(super) fn read_policy(text: &str) -> Result<Policy, PolicyFault> {
    let read: Result<PolicyText, _> = serde_json::from_str(text);
    read.map_err(|error| PolicyFault::new("policy", error.to_string()))?
        .policy()
}

impl PolicyText {
    /// Converts the policy. Fails with the first member that is unknown or has an invalid value.
    pub fn policy(&self) -> Result<Policy, PolicyFault> {
        if let Some(unknown) = &self.unknown {
            let unknown: String = unknown.chars().take(128).collect();
            let unknown = &*unknown;
            let near = nearest(unknown, MEMBERS);
            let why = match near {
                Some(near) => format!("unknown member of a policy; did you mean `{near}`?"),
                None => format!(
                    "unknown member of a policy; known members are {}",
                    MEMBERS.join(", ")
                ),
            };
            return Err(PolicyFault::new(unknown, why));
        }
        for (member, named) in [("namespaces", &self.namespaces), ("tags", &self.tags)] {
            if named.len() > TREATMENTS {
                let why = format!(
                    "it names {}, but at most {TREATMENTS} are allowed",
                    named.len()
                );
                return Err(PolicyFault::new(member, why));
            }
        }
        let standard = Policy::default();
        let mut policy = Policy {
            profile: word(
                "profile",
                self.profile.as_deref(),
                Profile::parse,
                &Profile::ALL.map(Profile::as_str),
            )?
            .unwrap_or_default(),
            fail_on: level("fail_on", self.fail_on.as_deref(), standard.fail_on)?,
            warn_on: level("warn_on", self.warn_on.as_deref(), standard.warn_on)?,
            private: treatment("private", self.private.as_deref())?.unwrap_or_default(),
            warn_days: self.warn_days.unwrap_or(standard.warn_days),
            ..standard
        };
        for (namespace, word) in &self.namespaces {
            let treatment = treatment(&format!("namespaces.{namespace}"), Some(word))?;
            policy
                .namespaces
                .extend(treatment.map(|t| (namespace.as_str().into(), t)));
        }
        policy
            .tags
            .retain(|(known, _)| !self.tags.contains_key(&**known));
        for (tag, word) in &self.tags {
            let treatment = treatment(&format!("tags.{tag}"), Some(word))?;
            policy
                .tags
                .extend(treatment.map(|t| (tag.as_str().into(), t)));
        }
        Ok(policy)
    }
}

fn word<T>(
    member: &str,
    text: Option<&str>,
    parse: fn(&str) -> Option<T>,
    known: &[&str],
) -> Result<Option<T>, PolicyFault> {
    let Some(text) = text else {
        return Ok(None);
    };
    parse(text).map(Some).ok_or_else(|| {
        let why = format!("`{text}` must be one of {}", known.join(", "));
        PolicyFault::new(member, why)
    })
}

fn treatment(member: &str, text: Option<&str>) -> Result<Option<Treatment>, PolicyFault> {
    word(
        member,
        text,
        Treatment::parse,
        &Treatment::ALL.map(Treatment::as_str),
    )
}

/// Parses a level or `never`. Fails if it is neither.
pub fn level(
    member: &str,
    text: Option<&str>,
    otherwise: Option<Level>,
) -> Result<Option<Level>, PolicyFault> {
    const KNOWN: [&str; 6] = [
        "breaking",
        "forward-breaking",
        "dangerous",
        "info",
        "safe",
        "never",
    ];
    match text {
        None => Ok(otherwise),
        Some("never") => Ok(None),
        text => {
            let parse = |text: &str| Level::parse(text).filter(|&level| level != Level::None);
            word(member, text, parse, &KNOWN)
        }
    }
}

impl ExceptionText {
    /// Converts an exception that somebody adds. Fails as [`ExceptionText::exception`] does, or if it
    /// matches every base name and is not broad.
    pub fn added(&self, id: impl Into<Box<str>>) -> Result<Exception, PolicyFault> {
        let exception = self.exception(id)?;
        if exception.has_any_base() && !exception.broad {
            let why = format!(
                "`{}` matches operators of every base name; name the operators, or mark the exception \
                 as broad",
                exception.operator
            );
            return Err(PolicyFault::new("operator", why));
        }
        Ok(exception)
    }

    /// Converts the exception. Fails with the first member with an invalid value.
    pub fn exception(&self, id: impl Into<Box<str>>) -> Result<Exception, PolicyFault> {
        for (member, text) in [
            ("operator", &self.operator),
            ("rule", &self.rule),
            ("reason", &self.reason),
        ] {
            if text.trim().is_empty() {
                return Err(PolicyFault::new(member, "it cannot be empty"));
            }
        }
        self.expect_short()?;
        self.expect_rule()?;
        Ok(Exception {
            id: id.into(),
            operator: self.operator.as_str().into(),
            rule: self.rule.as_str().into(),
            argument: self.argument.as_deref().map(Into::into),
            reason: self.reason.as_str().into(),
            owner: self.owner.as_deref().map(Into::into),
            until: self.until()?,
            broad: self.broad,
        })
    }

    fn expect_short(&self) -> Result<(), PolicyFault> {
        let argument = self.argument.as_deref().unwrap_or_default();
        let texts = [
            ("operator", &*self.operator),
            ("rule", &*self.rule),
            ("argument", argument),
        ];
        for (member, text) in texts {
            let is_pattern = text.contains(['*', '?']);
            let most = if is_pattern { PATTERN_LENGTH } else { NAME };
            if text.chars().count() > most {
                let what = if is_pattern { "a pattern" } else { "a name" };
                let why = format!("{what} can have at most {most} characters");
                return Err(PolicyFault::new(member, why));
            }
        }
        Ok(())
    }

    /// A rule without a pattern must exist.
    fn expect_rule(&self) -> Result<(), PolicyFault> {
        if self.rule.contains(['*', '?']) || rules::find(&self.rule).is_some() {
            return Ok(());
        }
        let ids = rules::RULES.iter().map(|rule| rule.id.as_str());
        let why = match nearest(&self.rule, ids) {
            Some(near) => format!("unknown rule `{}`; did you mean `{near}`?", self.rule),
            None => format!(
                "unknown rule `{}`; `opatlas explain` lists all rules",
                self.rule
            ),
        };
        Err(PolicyFault::new("rule", why))
    }

    fn until(&self) -> Result<Option<Until>, PolicyFault> {
        let given = [&self.until, &self.until_date, &self.until_release];
        if given.iter().filter(|text| text.is_some()).count() > 1 {
            let why = "set only one of `until`, `until_date` and `until_release`";
            return Err(PolicyFault::new("until", why));
        }
        let date = |member: &str, text: &str| {
            text.parse::<Date>().map(Until::Date).map_err(|_| {
                PolicyFault::new(member, format!("`{text}` is not a date such as 2027-01-31"))
            })
        };
        let release = |member: &str, text: &str| match LastRelease::parse(text) {
            Ok(release) => Ok(Until::Release(release)),
            Err(unknown) => Err(PolicyFault::new(member, unknown.to_string())),
        };
        if let Some(text) = &self.until {
            let is_date = text.chars().filter(|c| *c == '-').count() == 2;
            return if is_date {
                date("until", text).map(Some)
            } else {
                release("until", text).map(Some)
            };
        }
        if let Some(text) = &self.until_date {
            return date("until_date", text).map(Some);
        }
        let text = self.until_release.as_ref();
        text.map(|text| release("until_release", text)).transpose()
    }

    /// The stored form. Fails as [`ExceptionText::added`] does.
    pub fn record(&self, id: String, now: i64) -> Result<ExceptionRecord, PolicyFault> {
        let exception = self.added(id.as_str())?;
        let (until_date, until_release) = match exception.until {
            None => (None, None),
            Some(Until::Date(date)) => (Some(date.to_string()), None),
            Some(Until::Release(release)) => (None, Some(release.as_str().to_owned())),
        };
        Ok(ExceptionRecord {
            id,
            operator: self.operator.clone(),
            rule: self.rule.clone(),
            argument: self.argument.clone(),
            reason: self.reason.clone(),
            owner: self.owner.clone(),
            until_date,
            until_release,
            broad: self.broad,
            created_at: now,
        })
    }

    /// Converts a stored exception.
    #[must_use]
    pub fn of_record(record: &ExceptionRecord) -> Self {
        Self {
            operator: record.operator.clone(),
            rule: record.rule.clone(),
            argument: record.argument.clone(),
            reason: record.reason.clone(),
            owner: record.owner.clone(),
            until: None,
            until_date: record.until_date.clone(),
            until_release: record.until_release.clone(),
            broad: record.broad,
        }
    }
}

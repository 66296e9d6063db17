//! Policies and exceptions as people write them: in a project, in a request, in `opatlas.toml`.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::store::ExceptionRecord;
use opatlas_diff::policy::{Exception, Policy, Treatment, Until};
use opatlas_diff::rules;
use opatlas_diff::rules::{Level, Profile};
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest;

/// A policy; what is left out is as in [`Policy::default`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    /// Whose view counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The least level that fails, or `never`.
    #[serde(default, alias = "fail-on", skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<String>,
    /// The least level that warns, or `never`.
    #[serde(default, alias = "warn-on", skip_serializing_if = "Option::is_none")]
    pub warn_on: Option<String>,
    /// How operators with a leading underscore are treated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<String>,
    /// How operators of a namespace are treated.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespaces: BTreeMap<String, String>,
    /// How operators that carry a tag in the base are treated.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// How many days before its end an exception begins to warn.
    #[serde(default, alias = "warn-days", skip_serializing_if = "Option::is_none")]
    pub warn_days: Option<u16>,
    /// What is not known.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, serde_json::Value>,
}

/// An exception; `until` is a day or a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionText {
    /// The pattern of operators.
    pub operator: String,
    /// The pattern of rules.
    pub rule: String,
    /// The pattern of arguments, keys or whatever else the rule is about.
    #[serde(default)]
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who answers for it.
    #[serde(default)]
    pub owner: Option<String>,
    /// The last day, `2027-01-31`, or the last release, `2.16`, for which it holds.
    #[serde(default)]
    pub until: Option<String>,
    /// The last day on which it holds.
    #[serde(default, alias = "until-date")]
    pub until_date: Option<String>,
    /// The last release for which it holds.
    #[serde(default, alias = "until-release")]
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    #[serde(default)]
    pub broad: bool,
}

/// What is wrong with a policy or an exception: the member, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}`: {why}")]
pub struct PolicyFault {
    /// The member.
    pub member: String,
    /// What is wrong with it, and what it may be.
    pub why: String,
}

impl PolicyFault {
    fn new(member: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            member: member.into(),
            why: why.into(),
        }
    }
}

impl PolicyText {
    /// The policy that it says.
    ///
    /// # Errors
    /// The first member that is unknown or has a value that it cannot have.
    pub fn policy(&self) -> Result<Policy, PolicyFault> {
        const MEMBERS: [&str; 7] = [
            "profile",
            "fail_on",
            "warn_on",
            "private",
            "namespaces",
            "tags",
            "warn_days",
        ];
        if let Some(unknown) = self.unknown.keys().next() {
            let near = nearest(unknown, MEMBERS);
            let why = match near {
                Some(near) => format!("no member of a policy; did you mean `{near}`?"),
                None => format!("no member of a policy; known are {}", MEMBERS.join(", ")),
            };
            return Err(PolicyFault::new(unknown, why));
        }
        let standard = Policy::default();
        let mut policy = Policy {
            profile: word(
                "profile",
                self.profile.as_deref(),
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
        for (tag, word) in &self.tags {
            let treatment = treatment(&format!("tags.{tag}"), Some(word))?;
            policy.tags.retain(|(known, _)| **known != **tag);
            policy
                .tags
                .extend(treatment.map(|t| (tag.as_str().into(), t)));
        }
        Ok(policy)
    }
}

fn word<T: FromStr>(
    member: &str,
    text: Option<&str>,
    known: &[&str],
) -> Result<Option<T>, PolicyFault> {
    let Some(text) = text else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| {
        let why = format!("`{text}` is none of {}", known.join(", "));
        PolicyFault::new(member, why)
    })
}

fn treatment(member: &str, text: Option<&str>) -> Result<Option<Treatment>, PolicyFault> {
    word(member, text, &Treatment::ALL.map(Treatment::as_str))
}

/// A level, or `never`.
///
/// # Errors
/// When it is neither.
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
        Some("none") => word(member, Some("`none`"), &KNOWN),
        text => word(member, text, &KNOWN),
    }
}

impl ExceptionText {
    /// The exception that it says.
    ///
    /// # Errors
    /// The first member that has a value that it cannot have.
    pub fn exception(&self, id: impl Into<Box<str>>) -> Result<Exception, PolicyFault> {
        for (member, text) in [
            ("operator", &self.operator),
            ("rule", &self.rule),
            ("reason", &self.reason),
        ] {
            if text.trim().is_empty() {
                return Err(PolicyFault::new(member, "it must say something"));
            }
        }
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

    /// A rule that is written out must be one.
    fn expect_rule(&self) -> Result<(), PolicyFault> {
        if self.rule.contains(['*', '?']) || rules::find(&self.rule).is_some() {
            return Ok(());
        }
        let ids = rules::RULES.iter().map(|rule| rule.id.as_str());
        let why = match nearest(&self.rule, ids) {
            Some(near) => format!("there is no rule `{}`; did you mean `{near}`?", self.rule),
            None => format!(
                "there is no rule `{}`; `opatlas explain` lists them",
                self.rule
            ),
        };
        Err(PolicyFault::new("rule", why))
    }

    fn until(&self) -> Result<Option<Until>, PolicyFault> {
        let given = [&self.until, &self.until_date, &self.until_release];
        if given.iter().filter(|text| text.is_some()).count() > 1 {
            let why = "give one of `until`, `until_date` and `until_release`";
            return Err(PolicyFault::new("until", why));
        }
        let date = |member: &str, text: &str| {
            text.parse::<Date>().map(Until::Date).map_err(|_| {
                PolicyFault::new(member, format!("`{text}` is no day such as 2027-01-31"))
            })
        };
        let release = |member: &str, text: &str| match Release::parse(text) {
            Ok(parsed) => Ok(Until::Release(parsed.release)),
            Err(unknown) => Err(PolicyFault::new(member, unknown.to_string())),
        };
        if let Some(text) = &self.until {
            let is_date = text.chars().filter(|c| *c == '-').count() == 2;
            return match is_date {
                true => date("until", text).map(Some),
                false => release("until", text).map(Some),
            };
        }
        if let Some(text) = &self.until_date {
            return date("until_date", text).map(Some);
        }
        let text = self.until_release.as_ref();
        text.map(|text| release("until_release", text)).transpose()
    }

    /// The same as the store keeps it.
    ///
    /// # Errors
    /// As [`ExceptionText::exception`].
    pub fn record(&self, id: String, now: i64) -> Result<ExceptionRecord, PolicyFault> {
        let exception = self.exception(id.as_str())?;
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

    /// What a record says.
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

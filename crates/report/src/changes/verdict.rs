//! The headline and conclusion of a report, for all renderings.

use super::{Report, count};
use crate::escape::cut;
use opatlas_diff::policy::{Conclusion, Exception, ExceptionStatus, Judged, Treatment, Until};
use opatlas_diff::rules::Level;
use opatlas_source::diagnostic::Severity;
use opatlas_source::{Message, message};

/// The most exceptions that are named because they end soon.
const MOST_ENDING: usize = 3;
/// The most characters of the reason of each.
const MOST_OF_REASON: usize = 80;

/// The counts on one line: `1 breaking change, 2 dangerous, 14 safe`. An incomplete comparison says so
/// first.
#[must_use]
pub fn headline(report: &Report<'_>) -> String {
    let found = found(report);
    match unread(report) {
        Some(unread) => format!(
            "INCOMPLETE, {unread}; the rest: {}",
            if found.is_empty() {
                "nothing found"
            } else {
                &found
            }
        ),
        None if found.is_empty() => {
            let mut changes = report.judgement.changes.iter();
            if changes.all(|judged| judged.change.is_about_exception()) {
                "no changes".to_owned()
            } else {
                "no changes in behavior".to_owned()
            }
        }
        None => found,
    }
}

/// The number of unread entries; `None` if there are none.
pub(super) fn unread(report: &Report<'_>) -> Option<String> {
    let all = &report.comparison.unread;
    match all.len() {
        0 => None,
        1 => Some("1 entry was not compared".to_owned()),
        n => Some(format!("{n} entries were not compared")),
    }
}

fn found(report: &Report<'_>) -> String {
    let summary = report.judgement.summary;
    let counts = [
        (summary.breaking, "breaking"),
        (summary.forward_breaking, "forward-breaking"),
        (summary.dangerous, "dangerous"),
        (summary.safe, "safe"),
        (summary.info, "informational"),
        (summary.excepted, "accepted"),
    ];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    let mut shown: Vec<String> = counts.map(|(n, word)| format!("{n} {word}")).collect();
    if let Some(first) = shown.first_mut() {
        let is_one = first.starts_with("1 ");
        first.push_str(if is_one { " change" } else { " changes" });
    }
    let mut all = report.found.counted();
    all.append(&mut shown);
    all.join(", ")
}

pub(super) fn conclusion(report: &Report<'_>) -> Message {
    let policy = report.policy;
    let judgement = report.judgement;
    let failing = |judged: &&Judged| {
        judged.is_counted()
            && judged.treatment > Treatment::Warn
            && policy.fail_on.is_some_and(|least| judged.level >= least)
    };
    let is_incompatible = |judged: &Judged| judged.level >= Level::Dangerous;
    let number = judgement.changes.iter().filter(failing).count();
    let profile = match policy.profile {
        opatlas_diff::rules::Profile::Strict => String::new(),
        profile => format!(" (profile {profile})"),
    };
    let errors = report.found.count(Severity::Error);
    let fix = match errors {
        0 => Message::default(),
        _ => message!(
            "Fix {}: PyTorch's code generator rejects the head.",
            count(errors, "new error")
        ),
    };
    match report.own_conclusion() {
        Conclusion::Fail if number == 0 => fix,
        Conclusion::Fail => {
            let kind = match policy.fail_on.unwrap_or(Level::Breaking) {
                Level::Breaking => "breaking changes".into(),
                least => message!("changes that are {} or worse", least),
            };
            let rejected = judgement.changes.iter().filter(failing);
            let can_accept = rejected.clone().any(Judged::can_be_excused);
            let act = if can_accept {
                "Revert or accept"
            } else {
                "Revert"
            };
            let revert = message!(
                "{} {}: the policy rejects {}{}.",
                act,
                count(number, "change"),
                kind,
                profile
            );
            match errors {
                0 => revert,
                _ => message!("{} {}", fix, revert),
            }
        }
        Conclusion::Warn if !report.comparison.unread.is_empty() => {
            message!("Fix what could not be read, and compare again{}.", profile)
        }
        Conclusion::Warn if judgement.conclusion == Conclusion::Pass => {
            message!(
                "No change is blocked, but there are new warnings{}.",
                profile
            )
        }
        Conclusion::Warn => {
            let warns = |judged: &Judged| {
                let least = [policy.warn_on, policy.fail_on].into_iter().flatten().min();
                judged.is_counted()
                    && judged.treatment > Treatment::Ignore
                    && least.is_some_and(|least| judged.level >= least)
            };
            match (judgement.changes.iter().any(warns), ending(report)) {
                (false, Some(ending)) => {
                    message!(
                        "No change is blocked, but exceptions end soon{}: {}.",
                        profile,
                        ending
                    )
                }
                (_, Some(ending)) => message!(
                    "No change is blocked, but some need review{}. Exceptions that end \
                     soon: {}.",
                    profile,
                    ending
                ),
                (_, None) => message!("No change is blocked, but some need review{}.", profile),
            }
        }
        Conclusion::Pass if judgement.changes.iter().any(is_incompatible) => {
            message!("The policy allows these changes{}.", profile)
        }
        Conclusion::Pass => message!("No incompatible changes found{}.", profile),
    }
}

/// The exceptions in use that end soon, with their reasons.
pub(super) fn ending(report: &Report<'_>) -> Option<Message> {
    let statuses = report.judgement.exceptions.iter();
    let all = report.exceptions.iter().zip(statuses).enumerate();
    let ending = all.filter(|(i, (_, status))| {
        let changes = report.judgement.changes.iter();
        let mut excuses = changes.filter_map(|judged| judged.excuse);
        **status == ExceptionStatus::Expiring && excuses.any(|e| e.holds && e.exception == *i)
    });
    let shown = ending.take(MOST_ENDING).map(|(_, (exception, _))| {
        let until = exception.until.as_ref().map(ToString::to_string);
        let operator = cut(&exception.operator, 60);
        let reason = cut(&exception.reason, MOST_OF_REASON);
        message!(
            "`{}` (until {}: {})",
            operator,
            until.unwrap_or_default(),
            reason
        )
    });
    let shown: Vec<Message> = shown.collect();
    (!shown.is_empty()).then(|| Message::join(shown, ", "))
}

/// Why a change does not count by its level alone, if an exception or the policy changes that.
pub(super) fn standing(report: &Report<'_>, judged: &Judged) -> Option<Message> {
    let exception = judged
        .excuse
        .and_then(|excuse| Some((excuse, report.exceptions.get(excuse.exception)?)));
    if let Some((excuse, exception)) = exception {
        let about = about(exception);
        return Some(match excuse.holds {
            true => message!("accepted: {}", about),
            false if judged.treatment == Treatment::Strict => {
                message!(
                    "not accepted, because the policy is strict for this operator: {}",
                    about
                )
            }
            false => message!("no longer accepted, the exception has expired: {}", about),
        });
    }
    match judged.treatment {
        Treatment::Ignore => Some("the policy ignores this operator".into()),
        Treatment::Warn => Some("the policy only warns about this operator".into()),
        Treatment::Same | Treatment::Strict => None,
    }
}

/// The reason, owner and end of an exception.
fn about(exception: &Exception) -> Message {
    let owner = exception.owner.as_deref();
    let owner = owner.map_or_else(String::new, |owner| format!("{owner}, "));
    let until = match &exception.until {
        None => "without expiry".to_owned(),
        Some(Until::Date(date)) => format!("until {date}"),
        Some(Until::Release(release)) => format!("until release {}", release.as_str()),
    };
    message!("{} ({}{})", exception.reason, owner, until)
}

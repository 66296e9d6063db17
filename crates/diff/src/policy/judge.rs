//! Applies a policy and its exceptions to a comparison.

use std::borrow::Cow;
use std::sync::Arc;

use crate::rules::ChangeRuleId;
use jiff::civil::Date;
use rustc_hash::{FxHashMap, FxHashSet};

use super::matching::Matching;
use super::{Exception, ExceptionStatus, Line, Policy, Treatment};
use crate::change::{Change, Subject, tag_member, tag_of_member};
use crate::revision::Comparison;
use crate::rules::Level;
use opatlas_operators::catalogue::Catalogue;

/// The revisions and the day of a judgement.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The base.
    pub base: &'a Catalogue,
    /// The head.
    pub head: &'a Catalogue,
    /// The release line of the head, which may be newer than all known releases.
    pub head_line: Line,
    /// The day.
    pub today: Date,
}

opatlas_source::words! {
    /// The result of a comparison.
    pub enum Conclusion {
        /// No change warns or fails.
        Pass = "pass",
        /// Some changes need a review, or some entries could not be read.
        Warn = "warn",
        /// The policy rejects a change.
        Fail = "fail",
    }
}

/// Counts of changes by level under the profile. Excused changes count only as excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Breaking changes.
    pub breaking: usize,
    /// Forward-breaking changes.
    pub forward_breaking: usize,
    /// Dangerous changes.
    pub dangerous: usize,
    /// Safe changes.
    pub safe: usize,
    /// Informational changes.
    pub info: usize,
    /// Excused changes.
    pub excepted: usize,
}

/// A change under a policy.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The change.
    pub change: Arc<Change>,
    /// Its level under the profile.
    pub level: Level,
    /// How its operator is treated.
    pub treatment: Treatment,
    /// The exception that matches it, even if that does not excuse it.
    pub excuse: Option<Excuse>,
}

impl Judged {
    /// Whether an exception excuses it.
    #[must_use]
    pub fn is_excused(&self) -> bool {
        self.excuse.is_some_and(|excuse| excuse.holds)
    }

    /// Whether an exception could excuse it. A strict policy allows none for breaking changes.
    #[must_use]
    pub fn can_be_excused(&self) -> bool {
        can_be_excused(self.level, self.treatment)
    }

    /// Whether it counts in the summary under its level.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.change.is_counted() && !self.is_excused()
    }
}

/// An exception that matches a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excuse {
    /// Its place in the list of exceptions.
    pub exception: usize,
    /// Whether it excuses the change: it is in effect, and the policy is not strict here.
    pub holds: bool,
}

/// A comparison under a policy.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// All changes in the comparison's order, then changes about exceptions.
    pub changes: Vec<Judged>,
    /// Counts.
    pub summary: Summary,
    /// The result.
    pub conclusion: Conclusion,
    /// The status of each exception, in their order.
    pub exceptions: Vec<ExceptionStatus>,
}

/// Applies a policy and exceptions.
#[must_use]
pub fn judge(
    comparison: &Comparison,
    policy: &Policy,
    exceptions: &[Exception],
    context: Context<'_>,
) -> Judgement {
    let standings: Vec<ExceptionStatus> = exceptions
        .iter()
        .map(|exception| exception.standing(context.today, context.head_line, policy.warn_days))
        .collect();
    let treatments = Treatments::new(policy);
    let mut matching = Matching::new(exceptions);
    let mut changes: Vec<Judged> = Vec::with_capacity(comparison.changes.len());
    let mut used: FxHashSet<usize> = FxHashSet::default();
    let mut excusing: FxHashSet<usize> = FxHashSet::default();
    for change in &comparison.changes {
        let treatment = treatments.of(context, change);
        let level = policy
            .profile
            .level(change.rule, change.level, change.impacts);
        let matching = matching.of_change(change);
        let excuse = excuse(&matching, level, treatment, &standings);
        used.extend(excuse.map(|excuse| excuse.exception));
        excusing.extend(excuse.filter(|e| e.holds).map(|excuse| excuse.exception));
        changes.push(Judged {
            change: Arc::clone(change),
            level,
            treatment,
            excuse,
        });
    }
    let statuses = statuses(
        exceptions,
        &mut matching,
        &standings,
        &[context.base, context.head],
    );
    for (i, (exception, status)) in exceptions.iter().zip(&statuses).enumerate() {
        if let Some(change) = about(exception, *status, used.contains(&i), excusing.contains(&i)) {
            changes.push(Judged {
                level: level_of(&change),
                change: Arc::new(change),
                treatment: Treatment::Same,
                excuse: None,
            });
        }
    }
    let expiring = |i: &usize| standings[*i] == ExceptionStatus::Expiring;
    let warns = !comparison.unread.is_empty() || used.iter().any(expiring);
    Judgement {
        summary: summary(&changes),
        conclusion: conclusion(policy, &changes, warns),
        changes,
        exceptions: statuses,
    }
}

struct Treatments<'a> {
    private: Treatment,
    namespaces: FxHashMap<&'a str, Treatment>,
    tags: FxHashMap<&'a str, Treatment>,
}

impl<'a> Treatments<'a> {
    fn new(policy: &'a Policy) -> Self {
        let strictest = |named: &'a [(Box<str>, Treatment)]| {
            let mut strictest: FxHashMap<&str, Treatment> = FxHashMap::default();
            for (name, treatment) in named {
                let known = strictest.entry(name).or_insert(*treatment);
                *known = (*known).max(*treatment);
            }
            strictest
        };
        Self {
            private: policy.private,
            namespaces: strictest(&policy.namespaces),
            tags: strictest(&policy.tags),
        }
    }

    /// The strictest treatment that applies to an operator. Only the base's tags count.
    fn of<'c>(&self, context: Context<'c>, change: &Change) -> Treatment {
        let find =
            |side: &'c Catalogue| Some(side.operator(side.find_qualified(&change.operator)?));
        let in_base = find(context.base);
        let Some(operator) = in_base.or_else(|| find(context.head)) else {
            return Treatment::Same;
        };
        let of_namespace = self.namespaces.get(operator.namespace());
        let tags = in_base
            .into_iter()
            .flat_map(|operator| operator.tags.iter());
        let of_tags = tags.filter_map(|tag| self.tags.get(&**tag)).max();
        let name = operator.name_text();
        let is_private = name.starts_with('_') && !name.starts_with("__");
        let of_private = is_private.then_some(&self.private);
        let strictest = of_namespace.max(of_tags).max(of_private);
        strictest.copied().unwrap_or_default()
    }
}

fn excuse(
    matching: &[usize],
    level: Level,
    treatment: Treatment,
    standings: &[ExceptionStatus],
) -> Option<Excuse> {
    let holds = |i: &&usize| standings[**i] != ExceptionStatus::Expired;
    let exception = *matching.iter().find(holds).or(matching.first())?;
    let is_over = standings[exception] == ExceptionStatus::Expired;
    Some(Excuse {
        exception,
        holds: !is_over && can_be_excused(level, treatment),
    })
}

fn can_be_excused(level: Level, treatment: Treatment) -> bool {
    treatment != Treatment::Strict || level < Level::ForwardBreaking
}

/// The status of each exception for these revisions. Without revisions, no exception is unused or too
/// broad.
#[must_use]
pub fn status(
    exceptions: &[Exception],
    revisions: &[&Catalogue],
    today: Date,
    warn_days: u16,
) -> Vec<ExceptionStatus> {
    let newest = revisions.iter().map(|catalogue| catalogue.release).max();
    let newest = Line::of(newest.unwrap_or_default());
    let standings: Vec<ExceptionStatus> = exceptions
        .iter()
        .map(|exception| exception.standing(today, newest, warn_days))
        .collect();
    if revisions.is_empty() {
        return standings;
    }
    statuses(
        exceptions,
        &mut Matching::new(exceptions),
        &standings,
        revisions,
    )
}

fn statuses(
    exceptions: &[Exception],
    matching: &mut Matching<'_>,
    standings: &[ExceptionStatus],
    revisions: &[&Catalogue],
) -> Vec<ExceptionStatus> {
    let named: Vec<Named<'_>> = revisions.iter().copied().flat_map(Named::all).collect();
    let status = |(i, exception): (usize, &Exception)| {
        if standings[i] == ExceptionStatus::Expired {
            return ExceptionStatus::Expired;
        }
        let bases = if exception.is_pattern() {
            bases(|name| matching.matches_operator(i, name), &named)
        } else {
            usize::from(is_there(exception, revisions))
        };
        // The exceptions whose operators include this one's.
        let others = matching.of_operator(exception.operator()).to_vec();
        let is_masked = others.into_iter().any(|j| {
            j != i
                && standings[j] != ExceptionStatus::Expired
                && matching.covers(j, exception)
                && (j < i || !matching.covers(i, &exceptions[j]))
        });
        if bases == 0 || is_masked {
            ExceptionStatus::Unused
        } else if bases > 1 && !exception.broad {
            ExceptionStatus::Overbroad
        } else {
            standings[i]
        }
    };
    exceptions.iter().enumerate().map(status).collect()
}

struct Named<'a> {
    name: Cow<'a, str>,
    base: (&'a str, &'a str),
}

impl<'a> Named<'a> {
    fn all(catalogue: &'a Catalogue) -> impl Iterator<Item = Self> {
        let operators = catalogue.operators.iter().map(|operator| Self {
            name: operator.qualified_name().into(),
            base: (operator.namespace(), operator.base_name()),
        });
        let tags = catalogue.tags.all().iter().map(|tag| Self {
            name: tag_member(&tag.name).into(),
            base: ("", &tag.name),
        });
        operators.chain(tags)
    }
}

/// Looks for the operator or tag that an exception names in the revisions.
fn is_there(exception: &Exception, revisions: &[&Catalogue]) -> bool {
    let mut revisions = revisions.iter();
    revisions.any(|catalogue| is_subject(catalogue, &exception.operator))
}

/// Whether changes of a revision can have this name: it has the operator, or declares the tag
/// (`torch.Tag.core`).
#[must_use]
pub fn is_subject(catalogue: &Catalogue, name: &str) -> bool {
    let tag = || tag_of_member(name).and_then(|tag| catalogue.tags.find(tag));
    catalogue.find_qualified(name).is_some() || tag().is_some()
}

/// The number of base names that a pattern matches, counted up to 2.
fn bases(matches: impl Fn(&str) -> bool, named: &[Named<'_>]) -> usize {
    let mut found = named.iter().filter(|named| matches(&named.name));
    let Some(first) = found.next() else {
        return 0;
    };
    1 + usize::from(found.any(|other| other.base != first.base))
}

/// The level of a change about an exception. An expired exception is only informational, because the
/// changes that it excused count again.
fn level_of(change: &Change) -> Level {
    match change.rule.id {
        ChangeRuleId::AllowListExpired => Level::Info,
        _ => change.level,
    }
}

/// The change about an exception, under one of the policy rules.
fn about(
    exception: &Exception,
    status: ExceptionStatus,
    is_used: bool,
    excuses: bool,
) -> Option<Change> {
    let rule = match status {
        ExceptionStatus::Expired if is_used => ChangeRuleId::AllowListExpired,
        ExceptionStatus::Expired => return None,
        ExceptionStatus::Unused => ChangeRuleId::AllowListUnused,
        ExceptionStatus::Overbroad => ChangeRuleId::AllowListOverbroad,
        _ if excuses => ChangeRuleId::AllowListed,
        _ => return None,
    };
    let names = [Some(&exception.rule), exception.argument.as_ref()];
    let names = names.into_iter().flatten();
    let names = names.map(|name| Arc::from(&**name)).collect();
    Some(Change::new(
        rule,
        exception.operator.clone(),
        Subject::Names(names),
    ))
}

fn summary(changes: &[Judged]) -> Summary {
    let mut summary = Summary::default();
    for judged in changes.iter().filter(|judged| judged.change.is_counted()) {
        if judged.is_excused() {
            summary.excepted += 1;
            continue;
        }
        match judged.level {
            Level::Breaking => summary.breaking += 1,
            Level::ForwardBreaking => summary.forward_breaking += 1,
            Level::Dangerous => summary.dangerous += 1,
            Level::Safe => summary.safe += 1,
            Level::Info => summary.info += 1,
            Level::None => {}
        }
    }
    summary
}

fn conclusion(policy: &Policy, changes: &[Judged], warns: bool) -> Conclusion {
    let of_change = |judged: &Judged| {
        if !judged.is_counted() || judged.treatment == Treatment::Ignore {
            return Conclusion::Pass;
        }
        let reaches = |least: Option<Level>| least.is_some_and(|least| judged.level >= least);
        if reaches(policy.fail_on) && judged.treatment > Treatment::Warn {
            Conclusion::Fail
        } else if reaches(policy.warn_on) || reaches(policy.fail_on) {
            Conclusion::Warn
        } else {
            Conclusion::Pass
        }
    };
    let worst = changes
        .iter()
        .map(of_change)
        .max()
        .unwrap_or(Conclusion::Pass);
    if warns {
        worst.max(Conclusion::Warn)
    } else {
        worst
    }
}

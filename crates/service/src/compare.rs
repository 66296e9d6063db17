//! Comparison of revisions, stored or not.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rustc_hash::FxHashSet;

use opatlas_diff::cards::{Card, cards};
use opatlas_diff::causes::{Cause, causes};
use opatlas_diff::policy::{Context, Exception, Judgement, Line, Policy, judge};
use opatlas_diff::{Comparison, Revision, compare_until};
use opatlas_dispatch::{Provenance, Source};
use opatlas_rules::{Introduced, introduced};
use opatlas_source::{Digest, NATIVE_FUNCTIONS, Stop, Stopped};
use opatlas_store::{ExceptionRecord, LabelRecord, Missing, ProjectName, StoreError};
use opatlas_verdict::{Tables, View};

use super::Service;
use super::address::{Holds, Resolved, release_of};
use super::dispatch::Profile;
use super::error::ServiceError;
use super::notes::JudgedRelease;
use super::policy::{EXCEPTIONS, ExceptionText, PATTERNS, PolicyFault, keep_few, read_policy};
use super::snapshot::Snapshot;

/// Two revisions and their differences.
#[derive(Debug)]
pub struct Compared {
    /// The base.
    pub base: Arc<Snapshot>,
    /// The head.
    pub head: Arc<Snapshot>,
    /// The differences.
    pub comparison: Comparison,
    tables: (Arc<Tables>, Arc<Tables>),
    causes: OnceLock<Vec<Cause>>,
    cards: OnceLock<Vec<Card>>,
    /// The registrations in the compared tables.
    pub source: Source,
    /// The head's release line, which decides whether exceptions have expired.
    head_line: Line,
}

/// A head without operators can be compared if a change emptied, broke or deleted its file.
fn expect_operators(base: &Arc<Snapshot>, head: &Arc<Snapshot>) -> Result<(), ServiceError> {
    for (side, snapshot) in [("base", base), ("head", head)] {
        let catalogue = &snapshot.catalogue;
        let is_changed = side == "head" && base.bundle.file(NATIVE_FUNCTIONS).is_some();
        if catalogue.entry_of.is_empty() && catalogue.vendor_operators() == 0 && !is_changed {
            return Err(ServiceError::NothingToCompare {
                side,
                snapshot: Arc::clone(snapshot),
            });
        }
    }
    Ok(())
}

/// Registrations outside the files count only if they are known equally well for both sides.
pub(super) fn common_source(base: &Snapshot, head: &Snapshot) -> Source {
    let recorded = |snapshot: &Snapshot| snapshot.inputs().provenance == Provenance::Recorded;
    let alike = base.release() == head.release() || (recorded(base) && recorded(head));
    if alike {
        Source::Everything
    } else {
        Source::Files
    }
}

impl Compared {
    /// Compares two snapshots. Registrations outside the files count only if both sides are
    /// recorded releases or the same release applies to both. Fails with
    /// [`ServiceError::NothingToCompare`] for a side without a readable entry, and
    /// [`ServiceError::Stopped`].
    pub fn new(
        base: Arc<Snapshot>,
        head: Arc<Snapshot>,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        expect_operators(&base, &head)?;
        Ok(Self::of(base, head, stop)?)
    }

    pub(super) fn of(
        base: Arc<Snapshot>,
        head: Arc<Snapshot>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let source = common_source(&base, &head);
        let profile = Profile {
            source,
            ..Profile::default()
        };
        // The comparison needs the verdicts of both sides on all backends.
        let settled = |snapshot: &Snapshot| {
            let tables = snapshot.tables_until(&profile, stop)?;
            View::new(snapshot.inputs(), &tables).settle(stop)?;
            Ok(tables)
        };
        let (old, new) = rayon::join(|| settled(&base), || settled(&head));
        let (old, new): (Arc<Tables>, Arc<Tables>) = (old?, new?);
        let comparison = compare_until(
            Revision {
                catalogue: &base.catalogue,
                view: Some(View::new(base.inputs(), &old)),
            },
            Revision {
                catalogue: &head.catalogue,
                view: Some(View::new(head.inputs(), &new)),
            },
            stop,
        )?;
        Ok(Self {
            head_line: Line::of(head.release()),
            base,
            head,
            comparison,
            tables: (old, new),
            causes: OnceLock::new(),
            cards: OnceLock::new(),
            source,
        })
    }

    /// The changes by cause, computed on first use.
    pub fn causes(&self) -> &[Cause] {
        let (base, head) = (&self.base.catalogue, &self.head.catalogue);
        let find = || causes(&self.comparison, base, head);
        self.causes.get_or_init(find)
    }

    /// Sets the release that the head was named by, which may be newer than all known ones.
    #[must_use]
    pub fn named(mut self, head: Option<&JudgedRelease>) -> Self {
        let line = head.and_then(|head| Line::parse(&head.stored()).ok());
        self.head_line = line.unwrap_or(self.head_line);
        self
    }

    pub(super) fn against(&self, base: Arc<Snapshot>, stop: &Stop) -> Result<Self, ServiceError> {
        let mut compared = Self::new(base, Arc::clone(&self.head), stop)?;
        compared.head_line = self.head_line;
        Ok(compared)
    }

    /// Like [`Compared::new`], and runs the rules on both sides in parallel.
    pub fn checked(
        base: Arc<Snapshot>,
        head: Arc<Snapshot>,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        expect_operators(&base, &head)?;
        let sides = (Arc::clone(&base), Arc::clone(&head));
        let check = || {
            sides.0.check(stop)?;
            sides.1.check(stop)
        };
        let (compared, checked) = rayon::join(|| Self::of(base, head, stop), check);
        checked?;
        Ok(compared?)
    }

    /// The findings of the head that the base does not have. Runs the rules on first use.
    #[must_use]
    pub fn introduced(&self) -> Introduced {
        introduced(self.base.findings(), self.head.findings())
    }

    /// The compared tables of both sides.
    #[must_use]
    pub fn views(&self) -> (View<'_>, View<'_>) {
        let (old, new) = &self.tables;
        (
            View::new(self.base.inputs(), old),
            View::new(self.head.inputs(), new),
        )
    }

    /// The cards of operators that only the head has, computed on first use.
    pub fn cards(&self) -> &[Card] {
        let find = || cards(&self.comparison, &self.base.catalogue, self.views().1);
        self.cards.get_or_init(find)
    }

    /// Judges the comparison by a policy on a day.
    #[must_use]
    pub fn judge(&self, policy: &Policy, exceptions: &[Exception], today: Date) -> Judgement {
        let context = Context {
            base: &self.base.catalogue,
            head: &self.head.catalogue,
            head_line: self.head_line,
            today,
        };
        judge(&self.comparison, policy, exceptions, context)
    }
}

/// The policy and exceptions of a project.
#[derive(Debug, Clone, Default)]
pub struct Rulebook {
    /// The policy.
    pub policy: Policy,
    /// The exceptions.
    pub exceptions: Vec<Exception>,
    /// Problems with the policy or the exceptions.
    pub notes: Vec<String>,
    /// Identifies the content of the rulebook.
    pub digest: Option<Digest>,
}

impl Rulebook {
    /// Parses a project's policy (JSON) and exceptions. Replaces an invalid policy by the default
    /// with a note, so that a typo never lets a change pass.
    #[must_use]
    pub fn of(project: &ProjectName, policy: Option<&str>, exceptions: &[ExceptionRecord]) -> Self {
        let mut rulebook = Self::default();
        if let Some(text) = policy {
            match read_policy(text) {
                Ok(policy) => rulebook.policy = policy,
                Err(why) => rulebook.notes.push(format!(
                    "the policy of project `{project}` is invalid, so the standard policy applies: \
                     {why}"
                )),
            }
        }
        for record in exceptions {
            match ExceptionText::of_record(record).exception(record.id.as_str()) {
                Ok(exception) => rulebook.exceptions.push(exception),
                Err(fault) => rulebook.notes.push(format!(
                    "exception {} is invalid and has no effect: {fault}",
                    record.id
                )),
            }
        }
        let left_out = keep_few(&mut rulebook.exceptions);
        if left_out > 0 {
            rulebook.notes.push(format!(
                "project `{project}` has too many exceptions, so the last {left_out} have no \
                 effect; at most {EXCEPTIONS} apply, {PATTERNS} of them with a pattern of \
                 operators"
            ));
        }
        rulebook.digest = Some(Digest::of(format!("{rulebook:?}").as_bytes()));
        rulebook
    }
}

/// The labeled revisions except `head`, each once, the latest on the timeline first. `otherwise`
/// provides the release for labels without one.
#[must_use]
pub fn labelled(
    project: &ProjectName,
    mut labels: Vec<LabelRecord>,
    head: Option<Digest>,
    otherwise: Option<&Resolved>,
) -> Vec<Resolved> {
    labels.retain(|label| Some(label.digest) != head);
    let version =
        |label: &LabelRecord| opatlas_pytorch::release::Version::parse(label.name.as_str());
    labels.sort_by_cached_key(|label| (version(label), label.sequence, label.name.clone()));
    labels.reverse();
    let mut seen = FxHashSet::default();
    labels.retain(|label| seen.insert(label.digest));
    let resolved = labels.into_iter().map(|label| Resolved {
        project: project.clone(),
        digest: label.digest,
        judged: release_of(&label)
            .or_else(|| Some(otherwise?.judged.clone()))
            .unwrap_or(JudgedRelease::NEWEST),
        label: Some(label),
        is_commit: false,
        holds: Holds::Now,
    });
    resolved.collect()
}

/// The UTC day of a time in microseconds since 1970-01-01, by which exceptions end.
#[must_use]
pub fn day(now: i64) -> Date {
    let now = Timestamp::from_microsecond(now).unwrap_or(Timestamp::UNIX_EPOCH);
    now.to_zoned(TimeZone::UTC).date()
}

impl Service {
    /// Today in UTC.
    #[must_use]
    pub fn today(&self) -> Date {
        day(self.now())
    }

    /// The rulebook of a project. Changes by other processes take effect within two seconds.
    pub async fn rulebook(&self, project: &ProjectName) -> Result<Arc<Rulebook>, ServiceError> {
        let read = async { self.read_rulebook(project).await.map(Arc::new) };
        let rulebook = self.rulebooks.try_get_with_by_ref(project, read).await;
        rulebook.map_err(ServiceError::Shared)
    }

    async fn read_rulebook(&self, project: &ProjectName) -> Result<Rulebook, ServiceError> {
        let stored = self.store.project(project).await?;
        let exceptions = self.store.exceptions(project).await?;
        Ok(Rulebook::of(project, stored.policy.as_deref(), &exceptions))
    }

    /// Adds an exception to a project. Fails with [`ServiceError::Policy`] for an empty or invalid
    /// one.
    pub async fn add_exception(
        &self,
        project: &str,
        text: &ExceptionText,
    ) -> Result<ExceptionRecord, ServiceError> {
        let project = ProjectName::parse(project)?;
        let id = uuid::Uuid::new_v4().simple().to_string();
        let record = text.record(id[..12].to_owned(), self.now())?;
        self.expect_meant(&project, &record).await?;
        let texts = [
            Some(&record.operator),
            Some(&record.rule),
            Some(&record.reason),
            record.argument.as_ref(),
            record.owner.as_ref(),
        ];
        for text in texts.into_iter().flatten() {
            super::projects::expect_storable("exception", Some(text))?;
        }
        self.store.add_exception(&project, &record).await?;
        self.rulebooks.invalidate(&project).await;
        Ok(record)
    }

    /// The exceptions of a project, oldest first.
    pub async fn exceptions(&self, project: &str) -> Result<Vec<ExceptionRecord>, ServiceError> {
        Ok(self.store.exceptions(&ProjectName::parse(project)?).await?)
    }

    /// Changes the end of an exception to a day or a release. Fails with [`ServiceError::Policy`]
    /// for an end that is invalid or in the past.
    pub async fn extend_exception(
        &self,
        project: &str,
        id: &str,
        until: &str,
    ) -> Result<ExceptionRecord, ServiceError> {
        let project = ProjectName::parse(project)?;
        let records = self.store.exceptions(&project).await?;
        let record = records.into_iter().find(|record| record.id == id);
        let missing = || StoreError::from(Missing::Exception(id.to_owned()));
        let record = record.ok_or_else(missing)?;
        let text = ExceptionText {
            until: Some(until.to_owned()),
            until_date: None,
            until_release: None,
            ..ExceptionText::of_record(&record)
        };
        let record = text.record(record.id, record.created_at)?;
        self.expect_to_come(&project, &record).await?;
        self.store.extend_exception(&project, &record).await?;
        self.rulebooks.invalidate(&project).await;
        Ok(record)
    }

    /// Deletes an exception.
    pub async fn delete_exception(&self, project: &str, id: &str) -> Result<(), ServiceError> {
        let project = ProjectName::parse(project)?;
        self.store.delete_exception(&project, id).await?;
        self.rulebooks.invalidate(&project).await;
        Ok(())
    }

    /// The revisions to compare a head with. `all` means all labeled revisions except `head`, the
    /// latest on the timeline first; `latest` the first of these; anything else is a label.
    /// `otherwise` provides the release for labels without one. Fails as [`Service::resolve`] does.
    pub async fn against(
        &self,
        project: &ProjectName,
        against: &str,
        head: Option<Digest>,
        otherwise: Option<&Resolved>,
    ) -> Result<Vec<Resolved>, ServiceError> {
        if against != "all" && against != "latest" {
            return Ok(vec![self.resolve(project.as_str(), against, None).await?]);
        }
        let labels = self.store.labels(project).await?;
        let mut resolved = labelled(project, labels, head, otherwise);
        if against == "latest" {
            resolved.truncate(1);
        }
        Ok(resolved)
    }
}

impl From<PolicyFault> for ServiceError {
    fn from(fault: PolicyFault) -> Self {
        Self::Policy(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Databases have policies that were stored before they were checked.
    #[test]
    fn an_invalid_policy_lets_nothing_pass() {
        let project = ProjectName::parse("p").unwrap();
        for (text, why) in [
            (r#"{"fail_onn": "never"}"#, "did you mean `fail_on`"),
            (r#"{"private": 3}"#, "expected a string"),
            ("{", "EOF"),
        ] {
            let rulebook = Rulebook::of(&project, Some(text), &[]);
            assert_eq!(rulebook.policy, Policy::default());
            assert!(rulebook.notes[0].contains(why), "{:?}", rulebook.notes);
        }
    }
}

//! A comparison under a policy, as HTTP and the command line answer and report it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use opatlas_diff::policy::{Exception, Judgement};
use opatlas_pytorch::release::Release;
use opatlas_report::changes::{self, Files, Filter, Listed, NewFindings, Report};
use opatlas_report::findings::{Findings, SourceText};
use opatlas_report::room::Room;
use opatlas_rules::Introduced;
use opatlas_service::companions::missing;
use opatlas_service::compare::{Compared, Rulebook};
use opatlas_service::further::Reported;
use opatlas_service::{Resolved, ServiceError, Snapshot};
use opatlas_source::diagnostic::Finding;
use opatlas_source::suggest::nearest_few;
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Stop, TAGS};

use crate::against::FurtherVerdict;
use crate::change::ChangeContext;
use crate::compare_filter::Filtered;
use crate::comparison::{Comparison, ComparisonParts, SideView, comparison};

/// A side of a comparison.
#[derive(Debug)]
pub struct ComparedSide {
    /// Its files, read.
    pub snapshot: Arc<Snapshot>,
    /// Its names.
    pub view: SideView,
    /// The stored revision, if it is one.
    pub resolved: Option<Resolved>,
    /// The user's paths of its files, by their names in the bundle; other files go by their names.
    pub paths: BTreeMap<String, String>,
    /// Notes about files that it or the base lacks.
    pub notes: Vec<String>,
    /// Whether it is a commit.
    pub is_commit: bool,
    /// Whether it is a revision of PyTorch with all of its files.
    pub is_complete: bool,
    /// Findings about files that it deletes.
    pub deleted: Vec<Finding>,
}

/// What a report on a comparison contains besides the comparison.
#[derive(Debug, Clone, Copy)]
pub struct ReportOptions<'a> {
    /// The maximum length of a part of the Markdown report.
    pub max_chars: Option<usize>,
    /// The address of the comparison's page.
    pub permalink: Option<&'a str>,
    /// The address that the ids of rules are appended to.
    pub rules_url: Option<&'a str>,
    /// The bound on the report's length.
    pub room: &'a Room,
}

/// Two sides, what differs between them, and the verdict on it.
#[derive(Debug)]
pub struct JudgedComparison {
    base: ComparedSide,
    head: ComparedSide,
    /// The policy, the exceptions, and notes about both.
    pub rulebook: Rulebook,
    compared: Compared,
    judgement: Judgement,
    introduced: Introduced,
    base_files: ChangedFiles,
    head_files: ChangedFiles,
    listed: Option<Listed>,
}

#[derive(Debug)]
struct ChangedFiles {
    native_functions: SourceText,
    derivatives: Option<SourceText>,
    tags: Option<SourceText>,
}

/// The most operators that a note suggests.
const SUGGESTED: usize = 3;

fn undeclared(name: &str, known: &[&str]) -> String {
    let mut bases: Vec<&str> = known
        .iter()
        .map(|name| name.split_once('.').map_or(*name, |(base, _)| base))
        .collect();
    bases.dedup();
    let near = nearest_few(name, known.iter().copied().chain(bases), SUGGESTED);
    let near: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
    let shown: String = name.chars().take(128).collect();
    match near.is_empty() {
        true => format!("neither revision declares an operator `{shown}`"),
        false => format!(
            "neither revision declares an operator `{shown}`; similar names: {}",
            near.join(", ")
        ),
    }
}

/// The note on a side without a release of its own, which takes that of the other side. `None` if that is
/// the newest, which applies anyway.
#[must_use]
pub fn note_of_release(title: &str, release: Release) -> Option<String> {
    (release != Release::LATEST).then(|| {
        format!(
            "{title} names no release, so the rules of the other side apply: those of {release}"
        )
    })
}

impl ComparedSide {
    /// A stored revision.
    #[must_use]
    pub fn stored(resolved: Resolved, snapshot: Arc<Snapshot>) -> Self {
        Self {
            view: SideView::of_revision(&resolved),
            is_commit: resolved.is_commit,
            resolved: Some(resolved),
            ..Self::files(snapshot, String::new())
        }
    }

    /// Files that are not stored.
    #[must_use]
    pub fn files(snapshot: Arc<Snapshot>, title: String) -> Self {
        Self {
            view: SideView::of_files(title, &snapshot),
            snapshot,
            resolved: None,
            paths: BTreeMap::new(),
            notes: Vec::new(),
            is_commit: false,
            is_complete: false,
            deleted: Vec::new(),
        }
    }

    /// Takes note of the files that only one of this head and its base has.
    pub fn compare_files(&mut self, base: &Self) {
        let (own, before) = (&self.snapshot.bundle, &base.snapshot.bundle);
        if self.is_complete || self.is_commit && base.is_commit {
            self.deleted = opatlas_rules::deleted(before, own);
        }
        let is_deleted = |name: &str| self.deleted.iter().any(|found| &*found.file == name);
        let missing = missing(before, own, is_deleted);
        self.notes.extend(missing);
    }

    fn source(&self, name: &str) -> Option<SourceText> {
        Some(self.renamed(name, self.snapshot.source(name)?.clone()))
    }

    fn sources(&self, findings: &[Finding]) -> BTreeMap<Box<str>, SourceText> {
        let sources = self.snapshot.sources(findings).into_iter();
        sources
            .map(|(name, source)| {
                let source = self.renamed(&name, source);
                (name, source)
            })
            .collect()
    }

    fn renamed(&self, name: &str, mut source: SourceText) -> SourceText {
        if let Some(path) = self.paths.get(name) {
            source.path = path.as_str().into();
        }
        source
    }

    fn changed_files(&self) -> ChangedFiles {
        // A head may have deleted the file.
        let nothing = || SourceText::new(NATIVE_FUNCTIONS, "".into());
        ChangedFiles {
            native_functions: self.source(NATIVE_FUNCTIONS).unwrap_or_else(nothing),
            derivatives: self.source(DERIVATIVES),
            tags: self.source(TAGS),
        }
    }
}

impl ChangedFiles {
    fn files(&self) -> Files<'_> {
        Files {
            native_functions: &self.native_functions,
            derivatives: self.derivatives.as_ref(),
            tags: self.tags.as_ref(),
        }
    }
}

impl JudgedComparison {
    /// Compares two sides, runs the rules over both, and judges the changes. Fails as
    /// [`Compared::checked`] does.
    pub fn new(
        base: ComparedSide,
        head: ComparedSide,
        rulebook: Rulebook,
        today: Date,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        let (old, new) = (Arc::clone(&base.snapshot), Arc::clone(&head.snapshot));
        let release = head.resolved.as_ref().map(|head| &head.judged);
        let compared = Compared::checked(old, new, stop)?.named(release);
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        stop.check()?;
        let mut introduced = compared.introduced();
        introduced.head_errors += head.deleted.len();
        introduced.new.splice(..0, head.deleted.iter().cloned());
        Ok(Self {
            introduced,
            base_files: base.changed_files(),
            head_files: head.changed_files(),
            base,
            head,
            rulebook,
            compared,
            judgement,
            listed: None,
        })
    }

    /// Restricts what reports and answers list. A note names the operators of the filter that neither
    /// side declares.
    #[must_use]
    pub fn filtered(mut self, filter: &Filter) -> Self {
        self.listed = Listed::new(filter, self.compared.causes(), &self.judgement);
        let sides = [&self.base, &self.head].map(|side| &side.snapshot.catalogue);
        let operators = sides.into_iter().flat_map(|catalogue| catalogue.iter());
        let names: Vec<&str> = operators.map(|(_, it)| it.qualified_name()).collect();
        let notes: Vec<String> = filter
            .unmatched(&names)
            .into_iter()
            .map(|name| undeclared(name, &names))
            .collect();
        self.head.notes.extend(notes);
        self
    }

    /// A sentence for each exception that excuses nothing, of those that `is_given` accepts.
    pub fn useless_exceptions(&self, is_given: impl Fn(&Exception) -> bool) -> Vec<String> {
        let exceptions = &self.rulebook.exceptions;
        self.compared.useless(&self.judgement, exceptions, is_given)
    }

    /// The changes that the comparison reports, which verdicts against other revisions leave out.
    #[must_use]
    pub fn reported(&self) -> Reported {
        Reported::of(&self.judgement)
    }

    /// Judges the head against another stored revision.
    pub fn judge_against(
        &self,
        (base, snapshot): (&SideView, Arc<Snapshot>),
        reported: &Reported,
        today: Date,
        stop: &Stop,
    ) -> Result<FurtherVerdict, ServiceError> {
        let rulebook = &self.rulebook;
        let further = self
            .compared
            .judge_against(snapshot, reported, rulebook, today, stop)?;
        Ok(FurtherVerdict::new(&further, base, rulebook))
    }

    /// Renders a report.
    pub fn report<T>(
        &self,
        against: &[FurtherVerdict],
        options: ReportOptions<'_>,
        render: impl FnOnce(&Report<'_>) -> T,
    ) -> T {
        let further: Vec<_> = against.iter().map(FurtherVerdict::further).collect();
        let new = Findings {
            findings: &self.introduced.new,
            omitted: &self.introduced.omitted,
            sources: self.head.sources(&self.introduced.new),
            room: options.room,
        };
        render(&Report {
            comparison: &self.compared.comparison,
            causes: self.compared.causes(),
            judgement: &self.judgement,
            policy: &self.rulebook.policy,
            exceptions: &self.rulebook.exceptions,
            base: side(&self.base, &self.base_files),
            head: side(&self.head, &self.head_files),
            found: NewFindings {
                new: &new,
                gone: self.introduced.gone,
                head_errors: self.introduced.head_errors,
            },
            cards: self.compared.cards(),
            notes: &self.head.notes,
            further: &further,
            listed: self.listed.as_ref(),
            permalink: options.permalink,
            rules_url: options.rules_url,
            max_chars: options.max_chars,
            room: options.room,
        })
    }

    /// The JSON answer that goes with a report. It has parts if the report has a maximum length.
    #[must_use]
    pub fn answer(&self, against: &[FurtherVerdict], report: &Report<'_>) -> Comparison<'_> {
        let parts = ComparisonParts {
            compared: &self.compared,
            base: &self.base.view,
            head: &self.head.view,
            policy: &self.rulebook.policy,
            introduced: &self.introduced,
            listed: self.listed.as_ref(),
            context: ChangeContext {
                judgement: &self.judgement,
                exceptions: &self.rulebook.exceptions,
                base: Some(self.base_files.files()),
                head: Some(self.head_files.files()),
            },
        };
        let notes = [&*self.rulebook.notes, &self.head.notes].concat();
        Comparison {
            conclusion: report.conclusion().as_str(),
            against: against.iter().map(|other| other.against.clone()).collect(),
            parts: report
                .max_chars
                .map_or_else(Vec::new, |_| changes::markdown(report)),
            filtered: Filtered::of(report),
            ..comparison(parts, report, notes)
        }
    }
}

fn side<'a>(side: &'a ComparedSide, files: &'a ChangedFiles) -> changes::Side<'a> {
    changes::Side {
        title: &side.view.title,
        files: files.files(),
        file_url: None,
    }
}

//! Findings of released files, so that the rules need not be run again over what never changes.
//!
//! Only those are kept: others, such as the files of pull requests, are soon not asked for any more, and their findings
//! would take more of the store than they do themselves.
//!
//! They hold for one program: with any other source file it has another [`ENGINE_VERSION`], and then they
//! are found again. What cannot be read, be it damaged, is as if it were not there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};

use crate::store::{FindingsRecord, Wanted, blocking};
use opatlas_pytorch::release::Release;
use opatlas_rules::{Findings, Omitted};
use opatlas_source::diagnostic::{Applicability, Finding, Fix, Related, RuleId, Severity};
use opatlas_source::{Digest, Message, Piece, Span};

use super::address::Resolved;
use super::labels::is_version;
use super::snapshot::Snapshot;
use super::{ENGINE_VERSION, Service};

/// Findings that take more bytes are not kept. Those of a release take 9 to 11 KB, and about
/// 90 KB before they are compressed.
const MOST_PACKED: usize = 64 << 10;
const MOST_PLAIN: usize = 8 << 20;
/// Level 9 makes them only 7 % smaller.
const LEVEL: i32 = 3;

#[derive(Serialize, Deserialize)]
struct Packed<'a> {
    #[serde(borrow)]
    kept: Vec<PackedFinding<'a>>,
    omitted: Vec<(PackedRule, u64)>,
}

/// A rule's place among all, and how bad its finding is.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct PackedRule(u16, u8);

#[derive(Serialize, Deserialize)]
struct PackedFinding<'a> {
    rule: PackedRule,
    #[serde(borrow)]
    message: PackedMessage<'a>,
    file: &'a str,
    span: (u32, u32),
    operator: Option<&'a str>,
    #[serde(borrow)]
    help: Option<PackedMessage<'a>>,
    #[serde(borrow)]
    related: Vec<(PackedMessage<'a>, Option<&'a str>, (u32, u32))>,
    fix: Option<((u32, u32), &'a str, bool)>,
    suppressed: bool,
}

/// The pieces of a sentence, and whether each is code.
#[derive(Serialize, Deserialize)]
struct PackedMessage<'a>(#[serde(borrow)] Vec<(bool, &'a str)>);

impl<'a> PackedMessage<'a> {
    fn of(message: &'a Message) -> Self {
        let pieces = message.pieces().map(|piece| match piece {
            Piece::Text(text) => (false, text),
            Piece::Code(code) => (true, code),
        });
        Self(pieces.collect())
    }

    fn unpacked(self) -> Message {
        let pieces = self.0.into_iter().map(|(is_code, text)| match is_code {
            false => Piece::Text(text),
            true => Piece::Code(text),
        });
        pieces.collect()
    }
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

impl PackedRule {
    fn of(rule: RuleId, severity: Severity) -> Self {
        Self(rule as u16, severity as u8)
    }

    fn unpacked(self) -> Option<(RuleId, Severity)> {
        let rule = RuleId::ALL.get(usize::from(self.0))?;
        let severity = SEVERITIES.get(usize::from(self.1))?;
        Some((*rule, *severity))
    }
}

impl<'a> PackedFinding<'a> {
    fn of(finding: &'a Finding) -> Self {
        let related = finding.related.iter();
        let related = related.map(|it| {
            (
                PackedMessage::of(&it.message),
                it.file.as_deref(),
                pair(it.span),
            )
        });
        let fix = finding.fix.as_ref().map(|fix| {
            let is_safe = fix.applicability == Applicability::Safe;
            (pair(fix.span), &*fix.replacement, is_safe)
        });
        Self {
            rule: PackedRule::of(finding.rule, finding.severity),
            message: PackedMessage::of(&finding.message),
            file: &finding.file,
            span: pair(finding.span),
            operator: finding.operator.as_deref(),
            help: finding.help.as_ref().map(PackedMessage::of),
            related: related.collect(),
            fix,
            suppressed: finding.suppressed,
        }
    }

    fn unpacked(self) -> Option<Finding> {
        let (rule, severity) = self.rule.unpacked()?;
        let related = self.related.into_iter();
        let related = related.map(|(message, file, at)| Related {
            message: message.unpacked(),
            file: file.map(Box::from),
            span: span(at),
        });
        let fix = self.fix.map(|(at, replacement, is_safe)| Fix {
            span: span(at),
            replacement: replacement.into(),
            applicability: match is_safe {
                true => Applicability::Safe,
                false => Applicability::Suggested,
            },
        });
        Some(Finding {
            rule,
            severity,
            message: self.message.unpacked(),
            file: self.file.into(),
            span: span(self.span),
            operator: self.operator.map(Box::from),
            help: self.help.map(PackedMessage::unpacked),
            related: related.collect(),
            fix,
            suppressed: self.suppressed,
        })
    }
}

fn pair(span: Span) -> (u32, u32) {
    (span.start, span.end)
}

fn span((start, end): (u32, u32)) -> Span {
    Span::new(start, end)
}

/// Findings as they are stored; nothing where they take too much.
fn pack(findings: &Findings) -> Option<Vec<u8>> {
    let omitted = findings.omitted().iter();
    let omitted = omitted.map(|it| (PackedRule::of(it.rule, it.severity), it.count as u64));
    let packed = Packed {
        kept: findings.iter().map(PackedFinding::of).collect(),
        omitted: omitted.collect(),
    };
    let plain = postcard::to_allocvec(&packed).ok()?;
    if plain.len() > MOST_PLAIN {
        return None;
    }
    let mut compressor = Compressor::new(LEVEL).ok()?;
    compressor.include_checksum(true).ok()?;
    let packed = compressor.compress(&plain).ok()?;
    (packed.len() <= MOST_PACKED).then_some(packed)
}

/// The findings that were stored; nothing where the bytes are others than [`pack`] made.
pub(super) fn unpack(packed: &[u8]) -> Option<Findings> {
    let plain = Decompressor::new().ok()?.decompress(packed, MOST_PLAIN);
    let plain = plain.ok()?;
    let Packed { kept, omitted } = postcard::from_bytes(&plain).ok()?;
    let kept = kept.into_iter().map(PackedFinding::unpacked);
    let omitted = omitted.into_iter().map(|(rule, count)| {
        let (rule, severity) = rule.unpacked()?;
        let count = usize::try_from(count).ok()?;
        Some(Omitted {
            rule,
            severity,
            count,
        })
    });
    Some(Findings::new(
        kept.collect::<Option<_>>()?,
        omitted.collect::<Option<_>>()?,
    ))
}

/// What is kept of a revision. Runs the rules, if they have not been run.
pub(super) fn record(snapshot: &Snapshot) -> Option<FindingsRecord> {
    Some(FindingsRecord {
        release: snapshot.release().as_str().to_owned(),
        program: ENGINE_VERSION.to_owned(),
        packed: pack(snapshot.findings())?,
    })
}

/// A revision and the findings of it that this program would find.
pub(super) fn wanted(digest: Digest, release: Release) -> Wanted<'static> {
    Wanted {
        digest,
        findings: Some((release.as_str(), ENGINE_VERSION)),
    }
}

impl Service {
    /// Keeps what the rules found in a revision that was asked for by a version, unless it is kept. Nobody waits
    /// for it, and where it fails it is found again.
    pub(super) fn keep_findings(&self, resolved: &Resolved, snapshot: &Arc<Snapshot>) {
        let is_released = || {
            let label = resolved.label.as_ref();
            label.is_some_and(|label| is_version(&label.name))
        };
        if snapshot.is_kept() || !is_released() || !snapshot.to_be_kept() {
            return;
        }
        let (store, snapshot) = (Arc::clone(&self.store), Arc::clone(snapshot));
        let project = resolved.project.clone();
        tokio::spawn(async move {
            let bundle = snapshot.bundle.clone();
            if let Ok(Some(found)) = blocking::run(move || record(&snapshot)).await
                && let Err(error) = store.save_findings(&project, &bundle, &found).await
            {
                let digest = bundle.digest();
                tracing::debug!(%project, %digest, %error, "findings are not kept");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use opatlas_operators::catalogue::Catalogue;
    use opatlas_rules::{MOST_OF_A_RULE, check, registry};
    use opatlas_source::Bundle;

    use super::*;
    use crate::service::{Ingest, JudgedRelease, Limits, Protection};
    use crate::store::{ProjectName, SqliteStore, Store};

    fn found(bundle: &Bundle, release: Release) -> Findings {
        check(&Catalogue::read(bundle, release, None))
    }

    /// What every rule says of its bad example.
    #[test]
    fn findings_of_every_rule_come_back() {
        let (mut fixes, mut related) = (0, 0);
        for rule in registry::all() {
            let mut bundle = Bundle::of_native_functions(rule.bad.operators.as_bytes());
            bundle.insert(rule.bad.file, rule.bad.text.as_bytes());
            let release = rule.until.unwrap_or(Release::LATEST);
            let found = found(&bundle, release);
            fixes += found.iter().filter(|it| it.fix.is_some()).count();
            related += found.iter().filter(|it| !it.related.is_empty()).count();
            let back = unpack(&pack(&found).unwrap()).unwrap();
            assert_eq!(back, found, "{}", rule.id);
        }
        assert!(fixes > 50 && related > 20, "{fixes} {related}");
    }

    #[test]
    fn suppressed_and_omitted_findings_come_back() {
        let bad = |at| format!("- func: f{at}.out(Tensor self, *, Tensor(a!) out) -> Tensor\n");
        let mut text: String = (0..MOST_OF_A_RULE + 7).map(bad).collect();
        text.push_str(
            "- func: g(Tensor self,Tensor b) -> Tensor  # opatlas: allow(written-letters-shared) odd\n",
        );
        let found = found(
            &Bundle::of_native_functions(text.into_bytes()),
            Release::LATEST,
        );
        assert!(!found.omitted().is_empty());
        let back = unpack(&pack(&found).unwrap()).unwrap();
        assert_eq!(back, found);
    }

    #[test]
    fn damaged_bytes_are_as_if_they_were_not_there() {
        let text = "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";
        let found = found(
            &Bundle::of_native_functions(text.as_bytes()),
            Release::LATEST,
        );
        assert!(!found.is_empty());
        let packed = pack(&found).unwrap();
        for at in 0..packed.len() {
            assert_eq!(unpack(&packed[..at]), None);
            let mut damaged = packed.clone();
            damaged[at] ^= 0x41;
            let back = unpack(&damaged);
            assert!(back.is_none() || back.as_ref() == Some(&found), "{at}");
        }
        assert_eq!(unpack(b""), None);
    }

    #[test]
    fn very_many_findings_are_not_kept() {
        let noise = |at: usize| Digest::of(&at.to_le_bytes()).to_string();
        let bad = |at| format!("- func: f{}(Tensor self,) -> Tensor\n", noise(at));
        let text: String = (0..MOST_OF_A_RULE).map(bad).collect();
        let found = found(
            &Bundle::of_native_functions(text.into_bytes()),
            Release::LATEST,
        );
        assert!(found.len() >= MOST_OF_A_RULE);
        let is_kept = |count: usize| {
            let mut long = found[..count].to_vec();
            for (at, finding) in long.iter_mut().enumerate() {
                finding.message = Message::prose(format!("{} {}", noise(at), noise(count + at)));
            }
            pack(&Findings::new(long, Vec::new())).is_some()
        };
        assert!(is_kept(100) && !is_kept(MOST_OF_A_RULE));
    }

    const FILES: &str = "- func: f(Tensor self,int n) -> Tensor\n";

    fn bundle() -> Bundle {
        Bundle::of_native_functions(FILES.as_bytes())
    }

    fn service(store: &Arc<dyn Store>) -> Service {
        let clock = Arc::new(|| 1_700_000_000_000_000);
        Service::new(Arc::clone(store), clock, Limits::default())
    }

    async fn resolved(service: &Service) -> Resolved {
        service.resolve("p", "2.9.0", None).await.unwrap()
    }

    /// What this program finds in it, if it is kept.
    async fn kept(store: &Arc<dyn Store>) -> Option<Vec<u8>> {
        let project = ProjectName::parse("p").unwrap();
        let release = JudgedRelease::parse("2.9.0").unwrap().release;
        let wanted = [wanted(bundle().digest(), release)];
        let read = store.read(&project, &wanted).await.unwrap();
        read[0].findings.clone()
    }

    /// A store with one revision, taken in by a service.
    async fn stored() -> Arc<dyn Store> {
        stored_as("2.9.0").await
    }

    /// The same with another label.
    async fn stored_as(label: &str) -> Arc<dyn Store> {
        let store = SqliteStore::open("sqlite::memory:").await.unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        let service = service(&store);
        service.create_project("p", None, None).await.unwrap();
        let ingest = Ingest {
            project: "p",
            bundle: bundle(),
            label: Some(label),
            release: Some("2.9"),
            protection: Protection::Kept,
        };
        service.ingest(ingest).await.unwrap();
        store
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_found_at_the_ingest_is_not_found_again() {
        let store = stored().await;
        let release = JudgedRelease::parse("2.9.0").unwrap().release;
        let expected = found(&bundle(), release);
        assert!(!expected.is_empty());
        let project = ProjectName::parse("p").unwrap();
        let kept = kept(&store).await.unwrap();
        assert_eq!(unpack(&kept), Some(expected.clone()));

        // Others are believed, so they are what is read.
        let others = Findings::new(vec![expected[0].clone(); 3], Vec::new());
        let record = |program: &str, packed| FindingsRecord {
            release: "2.9".to_owned(),
            program: program.to_owned(),
            packed,
        };
        for (program, packed, expected) in [
            ("older", pack(&others).unwrap(), &expected),
            (ENGINE_VERSION, pack(&others).unwrap(), &others),
            ("older", Vec::new(), &expected),
            (ENGINE_VERSION, b"damaged".to_vec(), &expected),
        ] {
            let record = record(program, packed);
            store
                .save_findings(&project, &bundle(), &record)
                .await
                .unwrap();
            let service = service(&store);
            let revision = resolved(&service).await;
            let snapshot = service.snapshot(&revision).await.unwrap();
            assert_eq!(snapshot.findings(), expected, "{program}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_another_program_found_is_replaced_when_it_is_asked_for() {
        let store = stored().await;
        let project = ProjectName::parse("p").unwrap();
        let older = FindingsRecord {
            release: "2.9".to_owned(),
            program: "older".to_owned(),
            packed: Vec::new(),
        };
        store
            .save_findings(&project, &bundle(), &older)
            .await
            .unwrap();
        let service = service(&store);
        let revision = resolved(&service).await;
        service.checked(&revision).await.unwrap();
        loop {
            if let Some(kept) = kept(&store).await {
                let expected = found(&bundle(), revision.release());
                assert_eq!(unpack(&kept), Some(expected));
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_found_in_other_files_than_releases_is_not_kept() {
        for label in ["pr-7", "main"] {
            assert_eq!(kept(&stored_as(label).await).await, None, "{label}");
        }
        assert!(kept(&stored_as("v2.9.0").await).await.is_some());
    }
}

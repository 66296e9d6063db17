//! Which findings people see by default: neither infos nor what the base has already.

use opatlas_source::diagnostic::{Finding, Severity};

use crate::findings::{Findings, Omitted};
use crate::introduced::introduced;

/// Findings to show in addition to new errors and warnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// Infos.
    pub infos: bool,
    /// Findings that the base has, too.
    pub known: bool,
}

/// The findings that people see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// The findings: in order without a base, and errors first with one.
    pub findings: Vec<Finding>,
    /// Findings that are only counted, by rule.
    pub omitted: Vec<Omitted>,
    /// The number of infos that are hidden.
    pub hidden_infos: usize,
    /// The difference to the base, if only new findings are listed.
    pub since: Option<Since>,
}

/// Findings of a base and its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// The number of findings that the head no longer has.
    pub gone: usize,
    /// The number of findings that both have.
    pub in_both: usize,
    /// The number of errors in the head.
    pub head_errors: usize,
}

impl Shown {
    /// Everything.
    pub const ALL: Self = Self {
        infos: true,
        known: true,
    };

    /// Whether a finding has a severity that is shown.
    #[must_use]
    pub fn has(self, severity: Severity) -> bool {
        self.infos || severity != Severity::Info
    }

    /// The findings to show. The base is the state before the change, if it is known.
    #[must_use]
    pub fn list(self, head: &Findings, base: Option<&Findings>) -> Listed {
        let (mut findings, mut omitted, since) = match base.filter(|_| !self.known) {
            Some(base) => {
                let new = introduced(base, head);
                let since = Since {
                    gone: new.gone,
                    in_both: head.listed().count() - new.new.len(),
                    head_errors: new.head_errors,
                };
                (new.new, new.omitted, Some(since))
            }
            None => (
                head.listed().cloned().collect(),
                head.omitted().to_vec(),
                None,
            ),
        };
        let all = findings.len() + omitted.iter().map(|omitted| omitted.count).sum::<usize>();
        findings.retain(|finding| self.has(finding.severity));
        omitted.retain(|omitted| self.has(omitted.severity));
        let left = findings.len() + omitted.iter().map(|omitted| omitted.count).sum::<usize>();
        Listed {
            findings,
            omitted,
            hidden_infos: all - left,
            since,
        }
    }
}

#[cfg(test)]
mod tests {
    use opatlas_operators::catalogue::Catalogue;
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    fn found(text: &str) -> Findings {
        let bundle = Bundle::of_native_functions(text.as_bytes());
        crate::check(&Catalogue::read(&bundle, Release::LATEST, None))
    }

    const ERROR: &str = "- func: blend(Tensors self) -> Tensor\n";
    const INFO: &str = "- func: acme::mix(Tensor self) -> Tensor\n";

    #[test]
    fn infos_and_known_findings_are_hidden_by_default() {
        let (base, head) = (found(ERROR), found(&format!("{ERROR}{INFO}")));
        let count = |shown: Shown, base| {
            let listed = shown.list(&head, base);
            (listed.findings.len(), listed.hidden_infos)
        };
        let infos = Shown {
            infos: true,
            known: false,
        };
        assert_eq!(count(Shown::default(), None), (1, 1));
        assert_eq!(count(Shown::default(), Some(&base)), (0, 1));
        assert_eq!(count(infos, Some(&base)), (1, 0));
        assert_eq!(count(Shown::ALL, Some(&base)), (2, 0));
        let since = Shown::default().list(&head, Some(&base)).since.unwrap();
        assert_eq!((since.in_both, since.gone, since.head_errors), (1, 0, 1));
    }
}

//! Which operators of the last revision say the words that are searched for, and in which order they and
//! those of former revisions are listed.

use memchr::memmem;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{OperatorId, split_qualified};
use opatlas_operators::sought::{Candidate, Lowered, Sought, Texts};
use opatlas_source::{Stop, Stopped};

use crate::search::{Filter, search};
use crate::snapshot::Snapshot;

use super::search::{Question, Which};

/// How large the operators of a revision in lower case may be, in bytes; a release has less than a million.
const LARGEST: u32 = 2 << 20;

/// An operator of the last revision that says the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Current {
    id: OperatorId,
    /// Whether its name does, whatever its schema and its kernels.
    is_named: bool,
}

/// The operators of a revision in lower case, unless it is unusually large.
pub(super) fn lowered(snapshot: &Snapshot) -> Option<Lowered> {
    let catalogue = &snapshot.catalogue;
    let operators = catalogue.iter().map(|(id, operator)| {
        let kernels = catalogue.kernels(id).iter();
        let candidate = Candidate {
            namespace: operator.namespace(),
            name: operator.name_text(),
            schema: operator.canonical(),
        };
        (candidate, kernels.map(|kernel| &*kernel.kernel.name))
    });
    Lowered::of(operators, LARGEST)
}

/// The operators of a revision that say the words, those first whose names fit best. `lowered` are those
/// of the revision, and give the same answer sooner.
///
/// # Errors
/// [`Stopped`].
pub(super) fn current(
    snapshot: &Snapshot,
    lowered: Option<&Lowered>,
    question: &Question,
    stop: &Stop,
) -> Result<Vec<Current>, Stopped> {
    let catalogue = &snapshot.catalogue;
    let sought = Sought::parse(&question.words);
    let mut found: Vec<Current> = match lowered.filter(|_| !sought.is_empty()) {
        Some(lowered) => {
            let mut fits = lowered.fits(&sought, stop)?;
            if fits.is_empty() {
                let names: Vec<&str> = catalogue.iter().map(|(_, it)| it.name_text()).collect();
                if let Some(loose) = sought.loosened(&names) {
                    fits = lowered.fits(&loose, stop)?;
                }
            }
            let current = fits.into_iter().map(|fit| Current {
                id: OperatorId::of_index(fit.at),
                is_named: fit.is_named,
            });
            current.collect()
        }
        None => each(catalogue, &sought, question, stop)?,
    };
    let mut known = marked(catalogue, &found);
    for id in by_kernel(catalogue, lowered, &question.plain, stop)? {
        if !std::mem::replace(&mut known[id.index()], true) {
            let is_named = false;
            found.push(Current { id, is_named });
        }
    }
    Ok(found)
}

/// Those whose names and schemas fit, looked at one by one.
fn each(
    catalogue: &Catalogue,
    sought: &Sought,
    question: &Question,
    stop: &Stop,
) -> Result<Vec<Current>, Stopped> {
    let filter = Filter {
        words: Some(question.words.clone()),
        ..Filter::default()
    };
    let mut texts = Texts::default();
    let ids = search(catalogue, &filter, stop)?.into_iter();
    let current = ids.map(|id| {
        let name = catalogue.operator(id).qualified_name();
        let is_named = name_rank(sought, &mut texts, name).is_some();
        Current { id, is_named }
    });
    Ok(current.collect())
}

/// The operators with a kernel whose name has these words, in their order.
fn by_kernel(
    catalogue: &Catalogue,
    lowered: Option<&Lowered>,
    words: &str,
    stop: &Stop,
) -> Result<Vec<OperatorId>, Stopped> {
    let lower = words.to_lowercase();
    if let (Some(lowered), false) = (lowered, lower.is_empty()) {
        let found = lowered.with_kernel(&lower).into_iter();
        return Ok(found.map(|fit| OperatorId::of_index(fit.at)).collect());
    }
    let finder = memmem::Finder::new(&lower);
    let (mut name, mut found) = (String::new(), Vec::new());
    for (id, _) in catalogue.iter() {
        stop.check()?;
        let mut kernels = catalogue.kernels(id).iter();
        let says_so = kernels.any(|kernel| {
            name.clear();
            name.push_str(&kernel.kernel.name);
            name.make_ascii_lowercase();
            finder.find(name.as_bytes()).is_some()
        });
        if says_so {
            found.push(id);
        }
    }
    Ok(found)
}

fn marked(catalogue: &Catalogue, found: &[Current]) -> Vec<bool> {
    let mut known = vec![false; catalogue.operators.len()];
    found.iter().for_each(|it| known[it.id.index()] = true);
    known
}

/// What is found, in its order: the operators, and whether the last revision has them and says the words.
/// `all` are those of the last revision that say the words, and `before` those of which steps do, each once.
pub(super) fn merged<'b>(
    snapshot: &Snapshot,
    question: &Question,
    all: &[Current],
    before: impl Iterator<Item = &'b str>,
) -> Vec<(String, bool)> {
    let catalogue = &snapshot.catalogue;
    let now = match question.which {
        Which::All => all,
        Which::Removed => &[],
    };
    let current = |is_named: bool| {
        let found = now.iter().filter(move |it| it.is_named == is_named);
        found.map(|it| (catalogue.operator(it.id).qualified_name().to_owned(), true))
    };
    let named: Vec<_> = current(true).take(question.limit).collect();
    if named.len() == question.limit {
        // The usual case for a single letter, for which thousands of former operators would be ranked.
        return named;
    }
    let known = marked(catalogue, all);
    let is_known = |name: &str| {
        let (namespace, bare) = split_qualified(name);
        let of_name = catalogue.all_named(bare);
        let native = of_name.filter(|id| catalogue.operator(*id).namespace() == namespace);
        let native = native.map(|id| known[id.index()]);
        // A vendor's operator counts only if no entry has this name.
        let other = || catalogue.find_qualified(name).map(|id| known[id.index()]);
        native.reduce(|one, other| one || other).or_else(other) == Some(true)
    };
    let (sought, mut texts) = (Sought::parse(&question.words), Texts::default());
    let is_removed = |name: &str| match question.which {
        Which::All => true,
        Which::Removed => catalogue.find_qualified(name).is_none(),
    };
    let gone = before.filter(|name| !is_known(name) && is_removed(name));
    let mut gone: Vec<(u32, usize, &str)> = gone
        .map(|name| {
            let rank = name_rank(&sought, &mut texts, name);
            (rank.unwrap_or(u32::MAX), name.len(), name)
        })
        .collect();
    gone.sort_unstable();
    let (gone_named, others) = gone.split_at(gone.partition_point(|(rank, ..)| *rank < u32::MAX));
    let former = |gone: &[(u32, usize, &str)]| -> Vec<(String, bool)> {
        let names = gone.iter().take(question.limit);
        names
            .map(|(.., name)| ((*name).to_owned(), false))
            .collect()
    };
    let found = named.into_iter().chain(former(gone_named));
    let found = found.chain(current(false)).chain(former(others));
    found.take(question.limit).collect()
}

/// How well the name of an operator fits, whatever its schema; `None` when it does not.
fn name_rank(sought: &Sought, texts: &mut Texts, operator: &str) -> Option<u32> {
    let (namespace, name) = operator.split_once("::").unwrap_or(("aten", operator));
    let candidate = Candidate {
        namespace,
        name,
        schema: "",
    };
    sought.rank(texts, candidate)
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    const FILE: &[u8] = b"
- func: addmm(Tensor self, Tensor mat1) -> Tensor
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: Sum_CPU
- func: badd(Tensor self) -> Tensor
- func: acme::add(Tensor self) -> Tensor
- func: other(SymInt additional) -> Tensor
- func: sum(Tensor self) -> Tensor
";

    #[test]
    fn the_lowered_text_changes_no_answer() {
        let bundle = Bundle::of_native_functions(FILE);
        let snapshot = Snapshot::read(bundle, Release::LATEST, None);
        let lowered = lowered(&snapshot).unwrap();
        let mut found_any = 0;
        for words in [
            "",
            "add",
            "ADD",
            "sum",
            "sum_cpu",
            "admm",
            "tensor",
            "symint other",
            "acme::add",
            "torch.add",
            "nothing",
            "add(",
            "self) ->",
            ".",
            "_",
        ] {
            let question = Question::new(words, Which::All, 100);
            let stop = Stop::never();
            let slow = current(&snapshot, None, &question, &stop).unwrap();
            let quick = current(&snapshot, Some(&lowered), &question, &stop).unwrap();
            assert_eq!(quick, slow, "{words}");
            found_any += usize::from(!quick.is_empty());
        }
        assert!(found_any > 10);
    }

    #[test]
    fn names_come_before_schemas_and_the_present_before_the_past() {
        let bundle = Bundle::of_native_functions(FILE);
        let snapshot = Snapshot::read(bundle, Release::LATEST, None);
        let before = ["zzz", "add.Tensor", "old_add", "add_", "other"];
        let listed = |words, which, limit| -> Vec<String> {
            let question = Question::new(words, which, limit);
            let now = current(&snapshot, None, &question, &Stop::never()).unwrap();
            let found = merged(&snapshot, &question, &now, before.into_iter());
            let word = |(name, is_current)| if is_current { name } else { format!("-{name}") };
            found.into_iter().map(word).collect()
        };
        let all = [
            "acme::add",
            "add.Tensor",
            "addmm",
            "badd",
            "-add_",
            "-old_add",
            "other",
            "-zzz",
        ];
        assert_eq!(listed("add", Which::All, 100), all);
        // As many as there are names of the present, and fewer.
        for limit in [1, 3, 4, 5, 6] {
            assert_eq!(listed("add", Which::All, limit), all[..limit]);
        }
        assert_eq!(
            listed("add", Which::Removed, 100),
            ["-add_", "-old_add", "-zzz"]
        );
    }
}

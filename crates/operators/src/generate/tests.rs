//! What one revision takes over from another.

use crate::catalogue::Catalogue;
use crate::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;

const ENTRIES: [&str; 5] = [
    "- func: a(Tensor self) -> Tensor\n  dispatch:\n    CPU: a\n  autogen: a.out\n",
    "- func: b_(Tensor(a!) self, SymInt n) -> Tensor(a!)\n  dispatch:\n    CPU: b\n  \
     autogen: b, b.out\n",
    "- func: c(Tensor self, Tensor(a!) x) -> Tensor\n  dispatch:\n    CPU: c\n  \
     autogen: c_functional, c.out\n",
    // Its out variant has the name of the one that `a` would get.
    "- func: a.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    \
     CompositeExplicitAutograd: a_out\n",
    "- func: d(Tensor self) -> int\n  dispatch:\n    CPU: d\n  autogen: d.out\n",
];

fn bundle(entries: &[usize]) -> Bundle {
    let text: String = entries.iter().map(|&at| ENTRIES[at]).collect();
    Bundle::of_native_functions(text.as_bytes())
}

/// All that is said of the operators, their groups and the faults.
fn said(catalogue: &Catalogue) -> String {
    let operator = |(id, operator): (OperatorId, &Operator)| {
        let generated = operator.generated();
        let group = catalogue.groups.of(id);
        let (tags, view) = (&operator.tags, operator.is_view);
        format!(
            "{} {generated:?} {group:?} {tags:?} {view}",
            operator.canonical()
        )
    };
    let operators: Vec<String> = catalogue.iter().map(operator).collect();
    let groups = catalogue.groups.all();
    format!("{operators:#?} {groups:?} {:?}", catalogue.faults)
}

#[test]
fn what_a_former_revision_generated_is_taken_over_and_changes_nothing() {
    let lists: [&[usize]; 7] = [
        &[0, 1, 2],
        &[2, 1, 0],
        &[1, 2],
        &[0, 3, 1],
        &[3, 0, 4],
        &[4, 0, 0],
        &[],
    ];
    let releases = [Release::V2_0, Release::V2_9, Release::LATEST];
    let mut shared = 0;
    for before in lists {
        for release in releases {
            let former = Catalogue::read(&bundle(before), release, None);
            for after in lists {
                for release in releases {
                    let bundle = bundle(after);
                    let alone = Catalogue::read(&bundle, release, None);
                    let with = Catalogue::read(&bundle, release, Some(&former));
                    assert_eq!(said(&with), said(&alone), "{before:?} {after:?} {release}");
                    let addresses = |catalogue: &Catalogue| -> Vec<usize> {
                        let generated = catalogue.operators.iter();
                        let generated = generated.filter_map(Operator::generated);
                        generated.map(|g| std::ptr::from_ref(g).addr()).collect()
                    };
                    let former = addresses(&former);
                    let kept = addresses(&with).into_iter();
                    shared += kept.filter(|at| former.contains(at)).count();
                }
            }
        }
    }
    assert!(shared > 50, "{shared}");
}

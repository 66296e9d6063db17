//! Exceptions of a comparison that cannot excuse anything.

use std::collections::BTreeSet;

use opatlas_diff::policy::{Exception, ExceptionStatus, Judgement, is_subject};
use opatlas_diff::tag_of_member;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::Operator;
use opatlas_source::suggest::Budget;

use super::compare::Compared;

impl Compared {
    /// A sentence for each unused exception that has expired or whose operator neither side has.
    /// Only considers exceptions that `is_given` accepts: the store rejects such exceptions.
    #[must_use]
    pub fn useless(
        &self,
        judgement: &Judgement,
        exceptions: &[Exception],
        is_given: impl Fn(&Exception) -> bool,
    ) -> Vec<String> {
        let excuses = judgement.changes.iter().filter_map(|judged| judged.excuse);
        let used: BTreeSet<usize> = excuses.map(|excuse| excuse.exception).collect();
        let catalogues = [&self.base.catalogue, &self.head.catalogue];
        let budget = Budget::default();
        let numbered = exceptions.iter().enumerate();
        let unused = numbered.filter(|(i, each)| !used.contains(i) && is_given(each));
        let sentence = |(i, exception): (usize, &Exception)| {
            let (id, name) = (&exception.id, exception.operator());
            if judgement.exceptions[i] == ExceptionStatus::Expired {
                let end = exception.until.as_ref()?;
                return Some(format!(
                    "{id}: the exception for `{name}` ended with {end} and excuses nothing; remove \
                     it"
                ));
            }
            let is_there = |catalogue: &&Catalogue| is_subject(catalogue, name);
            if exception.is_pattern() || catalogues.iter().any(is_there) {
                return None;
            }
            if let Some(tag) = tag_of_member(name) {
                return Some(format!("{id}: neither revision declares a tag `{tag}`"));
            }
            let near = nearest(&budget, name, &catalogues);
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Some(format!(
                "{id}: neither revision has an operator `{name}`{near}"
            ))
        };
        unused.filter_map(sentence).collect()
    }
}

fn nearest(budget: &Budget, name: &str, catalogues: &[&Catalogue]) -> Option<String> {
    let names = catalogues.iter().flat_map(|catalogue| &catalogue.operators);
    let names: Vec<_> = names.map(Operator::qualified_name).collect();
    let near = budget.nearest(name, names.iter().map(|name| &**name));
    near.map(str::to_owned)
}

//! Assigns letters to `Tensor!`, an annotation with its own set.

use super::Reader;
use crate::annotation::Annotation;
use crate::function::{Argument, Return};

impl Reader {
    /// Gives every `Tensor!` a letter that no other annotation uses.
    pub(super) fn expand_shorthand(&mut self, arguments: &mut [Argument]) {
        if !arguments
            .iter()
            .any(|a| is_shorthand(a.annotation.as_deref()))
        {
            return;
        }
        let mut used: Vec<u8> = arguments
            .iter()
            .filter_map(|a| a.annotation.as_ref())
            .filter(|a| !a.shorthand)
            .flat_map(|a| a.before.iter().copied())
            .collect();
        for argument in arguments {
            let Some(annotation) = argument.annotation.as_mut().filter(|a| a.shorthand) else {
                continue;
            };
            let letter = (b'a'..=b'z').find(|l| !used.contains(l)).unwrap_or(b'z');
            used.push(letter);
            self.fresh.push(letter);
            annotation.before = Box::new([letter]);
        }
    }

    pub(super) fn expand_shorthand_returns(&mut self, returns: &mut [Return]) {
        let shorthands = returns
            .iter_mut()
            .filter_map(|r| r.annotation.as_mut().filter(|a| a.shorthand));
        for (i, annotation) in shorthands.enumerate() {
            let letter = self.fresh.get(i).copied().unwrap_or(b'z');
            annotation.before = Box::new([letter]);
        }
    }
}

fn is_shorthand(annotation: Option<&Annotation>) -> bool {
    annotation.is_some_and(|a| a.shorthand)
}

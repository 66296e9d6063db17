//! stub
use super::Sink;
use crate::model::catalogue::Catalogue;
use crate::rules::Rule;
pub(super) static RULES: &[Rule] = &[];
pub(super) fn check(_: &Catalogue, _: &mut Sink) {}

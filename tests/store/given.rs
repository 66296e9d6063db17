//! What the tests of the store begin with, and what they expect of errors.

use std::fmt::Debug;

use opatlas_source::Bundle;
use opatlas_store::{
    Conflict, LabelName, LabelRequest, Missing, NewProject, ProjectName, RevisionKey, Store,
    StoreError,
};

pub fn name(text: &str) -> ProjectName {
    ProjectName::parse(text).unwrap()
}

pub fn label(text: &str) -> LabelName {
    LabelName::parse(text).unwrap()
}

pub fn key(text: &str) -> RevisionKey {
    RevisionKey::parse(text).unwrap()
}

pub fn bundle(text: impl AsRef<[u8]>) -> Bundle {
    Bundle::of_native_functions(text.as_ref())
}

/// A request for a label with a release.
pub fn request(text: &str, release: Option<&str>) -> LabelRequest {
    LabelRequest::new(label(text), release.map(str::to_owned))
}

pub async fn new_project(store: &dyn Store, text: &str) -> ProjectName {
    let new = NewProject {
        name: name(text),
        description: None,
        policy: None,
    };
    assert!(store.create_project(&new, 1).await.unwrap().created);
    new.name
}

pub fn missing<T: Debug>(answer: Result<T, StoreError>) -> Missing {
    match answer.unwrap_err() {
        StoreError::NotFound(missing) => missing,
        other => panic!("{other}"),
    }
}

pub fn conflict<T: Debug>(answer: Result<T, StoreError>) -> Conflict {
    match answer.unwrap_err() {
        StoreError::Conflict(conflict) => conflict,
        other => panic!("{other}"),
    }
}

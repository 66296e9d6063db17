//! Files with errors, which `--strict` does not store.

use std::process::ExitCode;

use opatlas_service::{Refusal, ServiceError};
use opatlas_source::visible::line;
use opatlas_wire::problem::{Kind, Problem};

use crate::cli::remote;

/// The outcome of an ingest that failed: 1 with the findings on standard error if the files have
/// errors, otherwise the error.
pub(super) fn refused(error: anyhow::Error) -> anyhow::Result<ExitCode> {
    let of_server = error.downcast_ref::<remote::Error>();
    if of_server.is_some_and(|error| error.is(Kind::BundleHasErrors)) {
        eprintln!("{error}");
        return Ok(ExitCode::from(1));
    }
    let of_service = error.downcast_ref::<ServiceError>().map(ServiceError::root);
    let Some(ServiceError::Refused(refusal @ Refusal::Errors(_))) = of_service else {
        return Err(error);
    };
    let problem = Problem::of_refusal(refusal);
    eprintln!("{}", problem.detail);
    for finding in &problem.findings {
        let file = finding.file.as_deref().unwrap_or_default();
        let (at, rule) = (finding.span, &finding.rule);
        let text = format!(
            "{file}:{}:{}: {} [{rule}]",
            at.line, at.column, finding.message
        );
        eprintln!("  {}", line(&text));
    }
    Ok(ExitCode::from(1))
}

//! `opatlas doctor`: is all that is stored what was given?

use std::process::ExitCode;

use clap::Args;

use crate::store::{CheckReport, Opening, StoreError};

use super::{Database, local};

/// Checks the database against its digests while the service runs.
///
/// Reassembles every file and compares it with its SHA-256, every revision with its digest, and
/// every label with its revision. Exits with 1 if it finds damage.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    database: Database,
}

impl Doctor {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let store = local::store(&self.database, Opening::Read).await?;
        let report = match store.check().await {
            // The database itself finds what it would have to read damaged.
            Err(StoreError::Corrupt { what }) => CheckReport {
                faults: vec![what],
                ..CheckReport::default()
            },
            report => report?,
        };
        store.close().await;
        println!(
            "checked: {} revisions, {} labels, {} files, {} groups, {} chunks",
            report.revisions, report.labels, report.files, report.groups, report.chunks
        );
        if report.unneeded > 0 {
            println!(
                "{} files, groups and chunks are unused; `opatlas gc` deletes them",
                report.unneeded
            );
        }
        Ok(told(&report))
    }
}

/// Prints the faults, and what to do.
pub(super) fn told(report: &CheckReport) -> ExitCode {
    if report.faults.is_empty() {
        println!("no faults");
        return ExitCode::SUCCESS;
    }
    for fault in &report.faults {
        println!("damaged: {fault}");
    }
    println!(
        "{} faults: restore the last backup into a new database, and ingest newer revisions again",
        report.faults.len()
    );
    ExitCode::from(1)
}

//! `opatlas doctor`: is all that is stored what was given?

use std::process::ExitCode;

use clap::Args;

use crate::store::{CheckReport, Opening, StoreError};

use super::{Database, local};

/// Checks all that is stored against its digests, from the pieces up, while the service goes on.
///
/// Every file is put together and compared with its SHA-256, every revision with its digest, every
/// label with what it names. Exit code 1 when something is wrong.
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
            "checked: {} revisions, {} labels, {} files, {} runs, {} pieces",
            report.revisions, report.labels, report.files, report.runs, report.pieces
        );
        if report.unneeded > 0 {
            println!(
                "{} files, runs and pieces are not needed any more; `opatlas gc` collects them",
                report.unneeded
            );
        }
        Ok(told(&report))
    }
}

/// Says what is wrong, and how to go on.
pub(super) fn told(report: &CheckReport) -> ExitCode {
    if report.faults.is_empty() {
        println!("all is in its place");
        return ExitCode::SUCCESS;
    }
    for fault in &report.faults {
        println!("damaged: {fault}");
    }
    println!(
        "{} faults: restore the last backup into a new database, and ingest again what came after it",
        report.faults.len()
    );
    ExitCode::from(1)
}

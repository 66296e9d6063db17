//! `opatlas doctor`: checks the store against its digests.

use std::process::ExitCode;

use clap::Args;

use opatlas_store::{CheckReport, Opening, StoreError};

use opatlas_source::visible::line;

use super::{Database, local};

/// Checks the database against its digests while the service runs.
///
/// Reassembles every file and compares it with its SHA-256, every revision with its digest, and
/// every label with its revision, and checks all names as `restore` does. Also reports labels that look like commits, and files of an SQLite
/// database that other users can read. Exits with 1 if it finds any of these.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    database: Database,
}

impl Doctor {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let store = local::store(&self.database, Opening::Read).await?;
        let mut report = match store.check().await {
            // The database itself reports damaged pages.
            Err(StoreError::Corrupt { what }) => CheckReport {
                faults: vec![what],
                ..CheckReport::default()
            },
            report => report?,
        };
        store.close().await;
        report
            .warnings
            .extend(opatlas_store::exposed(&self.database.database)?);
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
        print(&report);
        let is_well = report.faults.is_empty() && report.warnings.is_empty();
        Ok(ExitCode::from(u8::from(!is_well)))
    }
}

pub(super) fn print(report: &CheckReport) {
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    if report.faults.is_empty() {
        println!("no faults");
        return;
    }
    for fault in &report.faults {
        println!("damaged: {}", line(fault));
    }
    println!(
        "{} faults: restore the last backup into a new database, and ingest newer revisions again",
        report.faults.len()
    );
}

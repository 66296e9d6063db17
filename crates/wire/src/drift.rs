//! Dumps of a process's tables, and how they differ from the files, as JSON.

use opatlas_dispatch::{Drift, DriftKind, DriftRow};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::timestamp;
use opatlas_store::DumpRecord;

/// A dump's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DumpPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// The digest of the dump, or its first digits.
    #[param(min_length = 1, example = "51aa")]
    pub dump: String,
}

/// The process to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DriftQuery {
    /// The digest of a dump of the revision, or its first digits; by default the last one.
    pub dump: Option<String>,
    /// The release of PyTorch whose rules apply, such as `2.9`; by default the newest known. A
    /// label has its own.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// The tables of a process that are stored with a revision.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = Dump)]
pub struct DumpView {
    /// The SHA-256 of the dump.
    pub digest: String,
    /// Its size in bytes, as JSON.
    pub bytes: i64,
    /// The release of the process.
    pub torch: String,
    /// The device.
    pub device: String,
    /// When it was stored.
    #[schema(format = DateTime)]
    pub recorded_at: String,
}

/// All dumps of a revision, the last first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DumpList {
    /// The dumps.
    pub items: Vec<DumpView>,
    /// Always null: all dumps are on one page.
    pub next_cursor: Option<String>,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKindView {
    /// The files declare an operator that the process does not have.
    OperatorAbsent,
    /// The process has an operator that the files do not declare.
    OperatorUndeclared,
    /// The files imply a registration that the process does not have.
    Absent,
    /// The process has a registration that does not follow from the files.
    Undeclared,
    /// Both have a registration on the key, with different kernels.
    OtherKernel,
}

/// One difference.
#[derive(Debug, Serialize, ToSchema)]
pub struct DriftItem {
    /// The kind.
    pub kind: DriftKindView,
    /// The operator.
    pub operator: String,
    /// The runtime or alias key; null if the whole operator differs.
    pub key: Option<String>,
    /// The origin of the registration that the files imply.
    pub expected: Option<String>,
    /// Its file.
    pub expected_file: Option<String>,
    /// The source file of the process's kernel, if known.
    pub found_file: Option<String>,
    /// Whether the process's kernel is a fallthrough.
    pub found_fallthrough: Option<bool>,
}

/// Differences by kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct DriftCounts {
    /// Declared operators that the process does not have.
    pub operators_absent: usize,
    /// Operators of the process that the files do not declare.
    pub operators_undeclared: usize,
    /// Registrations that the process does not have.
    pub absent: usize,
    /// Registrations that do not follow from the files.
    pub undeclared: usize,
    /// Registrations with another kernel.
    pub other_kernel: usize,
    /// Registrations that are the same.
    pub same: u32,
}

/// How a process differs from the files of a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct DriftView {
    /// The revision.
    pub revision: String,
    /// The release whose rules apply.
    pub release: String,
    /// The release of the process.
    pub torch: String,
    /// The version of its build.
    pub build: Option<String>,
    /// Its device.
    pub device: String,
    /// The digest of the dump.
    pub dump: Option<String>,
    /// Backends that the files have kernels for and the build does not; their keys are not compared.
    pub left_out: Vec<String>,
    /// Registrations of operators in namespaces that the files do not use; they are not compared.
    pub elsewhere: u32,
    /// Differences by kind.
    pub counts: DriftCounts,
    /// The differences, by operator and key.
    pub items: Vec<DriftItem>,
}

/// The subject of a comparison with a process.
#[derive(Debug, Clone, Default)]
pub struct DriftHead {
    /// The revision.
    pub revision: String,
    /// The release whose rules apply.
    pub release: String,
    /// The release of the process.
    pub torch: String,
    /// The version of its build.
    pub build: Option<String>,
    /// Its device.
    pub device: String,
    /// The digest of the dump, if it is stored.
    pub dump: Option<String>,
}

impl From<DumpRecord> for DumpView {
    fn from(record: DumpRecord) -> Self {
        Self {
            digest: record.digest.to_string(),
            bytes: record.bytes,
            torch: record.torch,
            device: record.device,
            recorded_at: timestamp(record.recorded_at),
        }
    }
}

impl From<DriftKind> for DriftKindView {
    fn from(kind: DriftKind) -> Self {
        match kind {
            DriftKind::OperatorAbsent => Self::OperatorAbsent,
            DriftKind::OperatorUndeclared => Self::OperatorUndeclared,
            DriftKind::Absent => Self::Absent,
            DriftKind::Undeclared => Self::Undeclared,
            DriftKind::OtherKernel => Self::OtherKernel,
        }
    }
}

impl DriftView {
    /// Converts differences.
    #[must_use]
    pub fn new(head: DriftHead, drift: &Drift<'_>) -> Self {
        let count = |kind| drift.count(kind);
        Self {
            revision: head.revision,
            release: head.release,
            torch: head.torch,
            build: head.build,
            device: head.device,
            dump: head.dump,
            left_out: drift.left_out.iter().map(ToString::to_string).collect(),
            elsewhere: drift.elsewhere,
            counts: DriftCounts {
                operators_absent: count(DriftKind::OperatorAbsent),
                operators_undeclared: count(DriftKind::OperatorUndeclared),
                absent: count(DriftKind::Absent),
                undeclared: count(DriftKind::Undeclared),
                other_kernel: count(DriftKind::OtherKernel),
                same: drift.same,
            },
            items: drift.rows.iter().map(item).collect(),
        }
    }
}

fn item(row: &DriftRow<'_>) -> DriftItem {
    DriftItem {
        kind: row.kind.into(),
        operator: row.operator.to_string(),
        key: row.key.map(str::to_owned),
        expected: row.expected.map(|origin| origin.as_str().to_owned()),
        expected_file: row.expected_file.map(str::to_owned),
        found_file: row
            .found
            .and_then(|found| found.file.as_deref())
            .map(str::to_owned),
        found_fallthrough: row.found.map(|found| found.fallthrough),
    }
}

//! `opatlas compare --backend`: the effects of an upgrade on an out-of-tree backend.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use crate::cli::config;
use crate::cli::import;
use crate::cli::over::tree;
use crate::cli::read;
use crate::cli::sources::SourceMacros;
use crate::cli::suggesting;
use opatlas_report::backend::{csv, markdown, text};
use opatlas_service::backend::{BackendCompared, Vendor};
use opatlas_source::{Bundle, Stop, VENDOR};
use opatlas_wire::backends::view;
use opatlas_wire::judged_comparison::ComparedSide;

use super::{Backend, Compare, Format, pretty};

pub(crate) fn vendor(path: &Path) -> anyhow::Result<Vendor> {
    vendor_of(path, read::given(path)?)
}

pub(crate) fn vendor_of(path: &Path, bytes: Vec<u8>) -> anyhow::Result<Vendor> {
    let name = path.file_name().and_then(|name| name.to_str());
    Ok(Vendor::new(name.unwrap_or_default(), bytes)?)
}

pub(in crate::cli) fn of_file(file: &Path) -> anyhow::Result<Vendor> {
    let vendor = vendor(file)?;
    Ok(match config::vendor()? {
        Some(profile) => vendor.with_profile(profile.into_bytes()),
        None => vendor,
    })
}

/// A backend that consists of its sources, and of the only backend file among them if there is one.
pub(in crate::cli) fn of_sources(folder: &Path) -> anyhow::Result<Vendor> {
    let mut bundle = Bundle::default();
    import::sources::add(&mut bundle, folder, SourceMacros::read(None)?)?;
    if let Some(file) = tree::backend_file(folder) {
        let vendor = of_file(&file)?;
        bundle.insert(&vendor.file, vendor.bytes);
        if let Some(profile) = vendor.profile {
            bundle.insert(VENDOR, profile);
        }
    }
    let vendor = Vendor::of(&bundle);
    vendor.ok_or_else(|| anyhow!("{} registers no kernels", folder.display()))
}

/// A report for a backend has no policy and no filter.
pub(super) fn expect_alone(compare: &Compare, backend: &Backend) -> anyhow::Result<()> {
    let how = &compare.how;
    let others = [
        (how.against.is_some(), "--against"),
        (how.profile.is_some(), "--profile"),
        (how.fail_on.is_some(), "--fail-on"),
        (compare.level.is_some(), "--level"),
        (!compare.operator.is_empty(), "--operator"),
        (!backend.keys.is_empty(), "a dispatch key"),
    ];
    match others.iter().find(|(is_given, _)| *is_given) {
        Some((_, other)) => Err(anyhow!(
            "a backend file and {other} cannot be used together"
        )),
        None => Ok(()),
    }
}

impl Compare {
    fn of_sources(&self, folder: &Path) -> anyhow::Result<Vendor> {
        let how = &self.how;
        if how.against.is_some() || how.profile.is_some() || how.fail_on.is_some() {
            bail!(
                "{} has the sources of a backend; leave out --against, --profile and --fail-on",
                folder.display()
            );
        }
        of_sources(folder)
    }

    pub(super) fn tell_backend(
        &self,
        file: &Path,
        base: &ComparedSide,
        head: &ComparedSide,
    ) -> anyhow::Result<ExitCode> {
        let vendor = if file.is_dir() {
            self.of_sources(file)?
        } else {
            of_file(file)?
        };
        let compared =
            BackendCompared::new(&base.snapshot, &head.snapshot, &vendor, &Stop::never());
        let compared = compared.map_err(suggesting)?;
        let impact = compared.impact().ok_or_else(|| {
            anyhow!(
                "{}: its `backend` is not a dispatch key of both releases",
                file.display()
            )
        })?;
        let shown = file.display().to_string();
        let (from, to) = (&base.view.title, &head.view.title);
        let report = match self.format {
            Format::Text => text(&impact, &shown, from, to),
            Format::Markdown => markdown(&impact, &shown, from, to),
            Format::Json => {
                let view = view(
                    &impact,
                    vendor.file.clone(),
                    base.view.clone(),
                    head.view.clone(),
                );
                pretty(&view)?
            }
            Format::Csv => csv(&impact),
            Format::Sarif | Format::Junit | Format::Github | Format::Gitlab => {
                bail!("a backend is reported as text, markdown, csv or json")
            }
        };
        self.write(&[report])?;
        Ok(ExitCode::from(u8::from(impact.breaks())))
    }
}

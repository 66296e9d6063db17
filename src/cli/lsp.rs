//! `opatlas lsp`: the language server over standard input and output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{InitializeParams, PublishDiagnosticsParams};

use super::config::Files;
use super::merge_base;
use super::neighbours::{around, fixed_name};
use super::read;
use super::shown::ShownOptions;
use opatlas_lsp::{Disk, Fault, Place, Server};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::Profile;
use opatlas_pytorch::release::Release;
use opatlas_service::backend::Vendor;

/// The pause in messages after which diagnostics are sent, so that outdated texts get none.
const QUIET: Duration = Duration::from_millis(2);

/// Starts the language server, for editors, over standard input and output.
///
/// It serves native_functions.yaml, derivatives.yaml, tags.yaml, deprecated.yaml and files of
/// out-of-tree backends. The files that belong with an open one are found in PyTorch's layout, in
/// the same folder, or by [files] of opatlas.toml. editors/README.md describes the settings of
/// editors.
#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// The PyTorch release whose rules apply; by default that of opatlas.toml, or the newest known
    #[arg(long)]
    release: Option<String>,

    #[command(flatten)]
    shown: ShownOptions,

    /// Ignored: the server always uses standard input and output
    #[arg(long, hide = true)]
    stdio: bool,
}

impl Lsp {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let release = match &self.release {
            Some(text) => Some(Release::parse(text)?.release),
            None => None,
        };
        let (connection, threads) = Connection::stdio();
        let (id, params) = connection
            .initialize_start()
            .context("the client sent no `initialize`")?;
        let client: InitializeParams =
            serde_json::from_value(params).context("invalid parameters of `initialize`")?;
        let shown = self.shown.shown();
        let mut server = Server::new(Repository { release }, &client).showing(shown);
        let capabilities = serde_json::to_value(server.capabilities())?;
        connection.initialize_finish(id, capabilities)?;
        let ended = serve(&connection, &mut server);
        drop(connection);
        threads.join()?;
        ended
    }
}

fn serve(connection: &Connection, server: &mut Server<Repository>) -> anyhow::Result<ExitCode> {
    let mut is_changed = false;
    loop {
        let message = if is_changed {
            connection
                .receiver
                .recv_timeout(QUIET)
                .map_err(|error| error.is_timeout())
        } else {
            connection.receiver.recv().map_err(|_| false)
        };
        match message {
            Ok(Message::Request(request)) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(ExitCode::SUCCESS);
                }
                connection.sender.send(respond(server, request).into())?;
            }
            Ok(Message::Notification(notification)) => {
                server.notify(&notification.method, notification.params);
                is_changed = true;
            }
            Ok(Message::Response(_)) => {}
            Err(true) => {
                for diagnostics in server.diagnostics() {
                    connection.sender.send(published(diagnostics))?;
                }
                is_changed = false;
            }
            Err(false) => bail!("the client went away without `exit`"),
        }
    }
}

fn respond(server: &mut Server<Repository>, request: Request) -> Response {
    let Request { id, method, params } = request;
    match server.request(&method, params) {
        Ok(result) => Response::new_ok(id, result),
        Err(Fault::UnknownMethod) => {
            let code = ErrorCode::MethodNotFound as i32;
            Response::new_err(id, code, format!("unknown method `{method}`"))
        }
        Err(Fault::BadParameters(why)) => {
            let code = ErrorCode::InvalidParams as i32;
            Response::new_err(id, code, format!("invalid parameters of `{method}`: {why}"))
        }
    }
}

fn published(diagnostics: PublishDiagnosticsParams) -> Message {
    Notification::new(PublishDiagnostics::METHOD.to_owned(), diagnostics).into()
}

#[derive(Debug)]
struct Repository {
    release: Option<Release>,
}

impl Disk for Repository {
    fn place(&self, path: &Path, text: &str) -> Option<Place> {
        let config = config(path);
        let configured = config
            .release
            .as_deref()
            .and_then(|text| Release::parse(text).ok());
        let release = self.release.or(configured.map(|parsed| parsed.release));
        let name = name_of(path, text, &config)?;
        let named = config
            .bundle
            .iter()
            .map(|(name, path)| (*name, path.clone()));
        let is_configured = named.clone().any(|(_, named)| named == path);
        let found = if is_configured {
            None
        } else {
            around(path, Path::is_file)
        };
        let found = found.unwrap_or_else(|| named.collect());
        let mut files: Vec<_> = found
            .into_iter()
            .map(|(name, path)| (name.to_owned(), path))
            .collect();
        for backend in &config.backends {
            files.extend(vendor_name(backend).map(|name| (name, backend.clone())));
        }
        if !files.iter().any(|(known, _)| *known == name) {
            files.push((name.clone(), path.to_owned()));
        }
        Some(Place {
            name,
            files,
            vendor: config.vendor,
            release,
        })
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        read::found(path).ok()
    }

    fn before(&self, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
        let branch = config(paths.first()?).branch;
        Some(merge_base::files(branch.as_deref(), paths)?.files)
    }
}

/// The configuration of a file's folder. An invalid one is ignored; `opatlas check` reports it.
fn config(path: &Path) -> Files {
    let folder = path.parent().map(Files::above);
    folder.and_then(Result::ok).unwrap_or_default()
}

/// The name in a bundle: from `opatlas.toml`, the file's own name, or the name of a backend's file.
fn name_of(path: &Path, text: &str, config: &Files) -> Option<String> {
    let configured = config.bundle.iter().find(|(_, named)| named == path);
    if let Some(name) = configured
        .map(|(name, _)| *name)
        .or_else(|| fixed_name(path))
    {
        return Some(name.to_owned());
    }
    let is_yaml = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    if !is_yaml {
        return None;
    }
    let is_backend = || {
        let profile = config
            .vendor
            .as_ref()
            .and_then(|text| Profile::read(text.as_bytes()).ok());
        let file = BackendFile::read_with(text.as_bytes(), profile.as_ref());
        file.backend.is_some() || file.vendor.is_some()
    };
    let is_listed = config
        .backends
        .iter()
        .any(|backend: &PathBuf| backend == path);
    (is_listed || is_backend()).then(|| vendor_name(path))?
}

fn vendor_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Vendor::new(name, Vec::new()).ok().map(|vendor| vendor.file)
}

//! The server: answers messages and publishes diagnostics.

use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    Notification,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, CodeLensResolve, Completion, DocumentSymbolRequest,
    FoldingRangeRequest, GotoDefinition, HoverRequest, References, Request, ResolveCompletionItem,
    SemanticTokensFullRequest, SemanticTokensRangeRequest,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLens, CodeLensOptions,
    CompletionOptions, CompletionResponse, DocumentSymbolResponse, FoldingRangeProviderCapability,
    GotoDefinitionResponse, HoverProviderCapability, InitializeParams, InitializeResult, OneOf,
    PublishDiagnosticsParams, SemanticTokens, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use opatlas_rules::Shown;

use super::text::{Encoding, Text};
use super::uri::path_of;
use super::workspace::{Disk, OpenFile, Workspace};
use super::{actions, completion, diagnostics, hover, lenses, navigation, outline, tokens};

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The server does not know the method.
    UnknownMethod,
    /// The parameters are not those of the method.
    BadParameters(String),
}

/// The state of a session.
#[derive(Debug)]
pub struct Server<D> {
    disk: D,
    encoding: Encoding,
    workspace: Workspace,
    /// Empty diagnostics for closed files.
    closed: Vec<PublishDiagnosticsParams>,
}

type Answer = Result<Value, Fault>;

impl<D: Disk> Server<D> {
    /// A session with a client.
    #[must_use]
    pub fn new(disk: D, client: &InitializeParams) -> Self {
        let general = client.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        Self {
            disk,
            encoding: Encoding::negotiate(offered.unwrap_or(&[])),
            workspace: Workspace::default(),
            closed: Vec::new(),
        }
    }

    /// Shows more findings than new errors and warnings.
    #[must_use]
    pub fn showing(mut self, shown: Shown) -> Self {
        self.workspace.shown = shown;
        self
    }

    /// The capabilities of the server.
    #[must_use]
    pub fn capabilities(&self) -> InitializeResult {
        InitializeResult {
            capabilities: capabilities(self.encoding),
            server_info: Some(ServerInfo {
                name: "opatlas".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn request(&mut self, method: &str, params: Value) -> Answer {
        match method {
            HoverRequest::METHOD => self.at::<HoverRequest>(
                params,
                |params| params.text_document_position_params,
                |opened, at, _| hover::hover(opened, at),
            ),
            Completion::METHOD => self.at::<Completion>(
                params,
                |params| params.text_document_position,
                |opened, at, _| Some(CompletionResponse::List(completion::complete(opened, at))),
            ),
            ResolveCompletionItem::METHOD => answer(completion::resolve(read(params)?)),
            GotoDefinition::METHOD => self.at::<GotoDefinition>(
                params,
                |params| params.text_document_position_params,
                |opened, at, _| {
                    Some(GotoDefinitionResponse::Array(navigation::definition(
                        opened, at,
                    )))
                },
            ),
            References::METHOD => {
                let declared =
                    params.pointer("/context/includeDeclaration") == Some(&Value::Bool(true));
                self.at::<References>(
                    params,
                    |params| params.text_document_position,
                    |opened, at, _| Some(navigation::references(opened, at, declared)),
                )
            }
            CodeActionRequest::METHOD => {
                let params: lsp_types::CodeActionParams = read(params)?;
                let only = params.context.only.as_deref();
                self.of(&params.text_document.uri, |opened| {
                    actions::code_actions(opened, params.range, only)
                })
            }
            DocumentSymbolRequest::METHOD => {
                let params: lsp_types::DocumentSymbolParams = read(params)?;
                self.of(&params.text_document.uri, |opened| {
                    DocumentSymbolResponse::Nested(outline::symbols(opened))
                })
            }
            FoldingRangeRequest::METHOD => {
                let params: lsp_types::FoldingRangeParams = read(params)?;
                self.of(&params.text_document.uri, outline::folding)
            }
            CodeLensRequest::METHOD => {
                let params: lsp_types::CodeLensParams = read(params)?;
                let uri = params.text_document.uri;
                let opened = self.workspace.opened(&self.disk, &uri);
                opened.map_or(Ok(Value::Null), |opened| answer(lenses::lenses(opened)))
            }
            CodeLensResolve::METHOD => self.lens(read(params)?),
            SemanticTokensFullRequest::METHOD => {
                let params: lsp_types::SemanticTokensParams = read(params)?;
                self.of(&params.text_document.uri, |opened| {
                    of_tokens(tokens::semantic_tokens(opened, 0..usize::MAX))
                })
            }
            SemanticTokensRangeRequest::METHOD => {
                let params: lsp_types::SemanticTokensRangeParams = read(params)?;
                self.of(&params.text_document.uri, |opened| {
                    let text = &opened.document.text;
                    let (from, to) = (params.range.start, params.range.end);
                    of_tokens(tokens::semantic_tokens(
                        opened,
                        text.offset(from)..text.offset(to),
                    ))
                })
            }
            _ => Err(Fault::UnknownMethod),
        }
    }

    /// Handles a notification. Unknown or malformed ones have no effect.
    pub fn notify(&mut self, method: &str, params: Value) {
        match method {
            DidOpenTextDocument::METHOD => {
                if let Ok(lsp_types::DidOpenTextDocumentParams { text_document }) = read(params) {
                    let text = Text::new(text_document.text, self.encoding);
                    let (uri, version) = (text_document.uri, text_document.version);
                    if let Some(path) = path_of(&uri) {
                        self.workspace.open(&self.disk, uri, &path, version, text);
                    }
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(params) = read::<lsp_types::DidChangeTextDocumentParams>(params) {
                    let document = params.text_document;
                    let edit = |text: &mut Text| text.edit(params.content_changes);
                    self.workspace.edit(&document.uri, document.version, edit);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(params) = read::<lsp_types::DidCloseTextDocumentParams>(params) {
                    let uri = params.text_document.uri;
                    self.workspace.close(&self.disk, &uri);
                    self.closed
                        .push(PublishDiagnosticsParams::new(uri, Vec::new(), None));
                }
            }
            DidChangeWatchedFiles::METHOD => {
                if let Ok(params) = read::<lsp_types::DidChangeWatchedFilesParams>(params) {
                    let changed = params.changes.iter();
                    for path in changed.filter_map(|change| path_of(&change.uri)) {
                        self.workspace.reread(&self.disk, &path);
                    }
                }
            }
            _ => {}
        }
    }

    /// The diagnostics of files whose bundles changed since the last call.
    pub fn diagnostics(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut all = std::mem::take(&mut self.closed);
        for key in self.workspace.take_unsent() {
            for uri in self.workspace.documents_of(&key) {
                all.extend(
                    self.workspace
                        .opened(&self.disk, &uri)
                        .map(diagnostics::diagnostics),
                );
            }
        }
        all
    }

    /// Answers a request about a whole file; null for a file that is not open.
    fn of<T: serde::Serialize>(
        &mut self,
        uri: &Uri,
        ask: impl FnOnce(OpenFile<'_>) -> T,
    ) -> Answer {
        match self.workspace.opened(&self.disk, uri) {
            Some(opened) => answer(ask(opened)),
            None => Ok(Value::Null),
        }
    }

    fn at<R: Request>(
        &mut self,
        params: Value,
        place: impl FnOnce(R::Params) -> TextDocumentPositionParams,
        ask: impl FnOnce(OpenFile<'_>, usize, &Uri) -> R::Result,
    ) -> Answer
    where
        R::Params: DeserializeOwned,
    {
        let place = place(read(params)?);
        let uri = place.text_document.uri;
        self.of(&uri, |opened| {
            let offset = opened.document.text.offset(place.position);
            ask(opened, offset, &uri)
        })
    }

    fn lens(&mut self, mut lens: CodeLens) -> Answer {
        let data = lens.data.clone().unwrap_or_default();
        let uri: Option<Uri> = data.get("uri").and_then(|uri| uri.as_str()?.parse().ok());
        let opened = uri.and_then(|uri| self.workspace.opened(&self.disk, &uri));
        lens.command = opened.and_then(|opened| lenses::resolve(opened, &data));
        answer(lens)
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Fault> {
    serde_json::from_value(params).map_err(|error| Fault::BadParameters(error.to_string()))
}

fn answer(value: impl serde::Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| Fault::BadParameters(error.to_string()))
}

fn of_tokens(data: Vec<lsp_types::SemanticToken>) -> SemanticTokens {
    SemanticTokens {
        result_id: None,
        data,
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let kinds = [
        CodeActionKind::QUICKFIX,
        CodeActionKind::from(actions::FIX_ALL),
    ];
    let triggers = [" ", ":", "(", ",", "[", "."];
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some(triggers.map(str::to_owned).into()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds.into()),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(true),
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: tokens::LEGEND.into(),
                    token_modifiers: Vec::new(),
                },
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}

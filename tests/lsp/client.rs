//! A client that speaks to the program over its standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: i64,
    /// Notifications that came while an answer was awaited.
    waiting: Vec<Value>,
    /// What the server can do.
    pub capabilities: Value,
}

impl Client {
    pub fn start(encodings: &[&str]) -> Self {
        Self::start_with(&[], encodings)
    }

    pub fn start_with(options: &[&str], encodings: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_opatlas"))
            .arg("lsp")
            .args(options)
            .env_remove("CI")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut client = Self {
            child,
            to,
            from: BufReader::new(from),
            next: 0,
            waiting: Vec::new(),
            capabilities: Value::Null,
        };
        let general = json!({"positionEncodings": encodings});
        let parameters =
            json!({"processId": null, "rootUri": null, "capabilities": {"general": general}});
        client.capabilities = client.ask("initialize", parameters)["capabilities"].clone();
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let to = self.to.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        to.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.from.read_line(&mut line).unwrap() > 0,
                "the server ended"
            );
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request; its result, or its error in `error`.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => json!({"error": error}),
                    None => message["result"].clone(),
                };
            }
            self.waiting.push(message);
        }
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub fn edit(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.tell("textDocument/didChange", params);
    }

    /// The diagnostics of a version of a file, which are awaited.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        loop {
            let message = match self.waiting.is_empty() {
                true => self.receive(),
                false => self.waiting.remove(0),
            };
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
            {
                return params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// Ends the session as the protocol asks; the exit code.
    pub fn stop(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.to = None;
        self.child.wait().unwrap().code()
    }
}

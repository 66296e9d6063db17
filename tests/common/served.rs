//! The program as a server, in a process of its own, asked over real connections.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A server; killed when it is dropped.
pub struct Served {
    process: Child,
    /// `http://ADDRESS`
    pub url: String,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub body: String,
}

impl Served {
    /// Starts one on a free port of loopback.
    pub fn start(database: &str) -> Self {
        Self::start_with(database, &[])
    }

    pub fn start_with(database: &str, arguments: &[&str]) -> Self {
        let mut process = Self::command(database, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines
            .map_while(Result::ok)
            .find_map(|line| Some(line.strip_prefix("Opatlas listens on ")?.to_owned()));
        match url {
            Some(url) => Self { process, url },
            None => panic!("it does not start: {:?}", process.wait()),
        }
    }

    pub fn command(database: &str, arguments: &[&str]) -> Command {
        let mut command = opatlas();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Kills it as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn get(&self, path: &str) -> Answer {
        ask(agent().get(format!("{}{path}", self.url)).call())
    }

    pub fn delete(&self, path: &str) -> Answer {
        ask(agent().delete(format!("{}{path}", self.url)).call())
    }

    pub fn post_json(&self, path: &str, body: &Value) -> Answer {
        let request = agent().post(format!("{}{path}", self.url));
        ask(request
            .content_type("application/json")
            .send(body.to_string()))
    }

    pub fn put_json(&self, path: &str, body: &Value) -> Answer {
        let request = agent().put(format!("{}{path}", self.url));
        ask(request
            .content_type("application/json")
            .send(body.to_string()))
    }

    pub fn project(&self, name: &str) {
        let answer = self.post_json("/v1/projects", &serde_json::json!({"name": name}));
        assert!(answer.status < 300, "{answer:?}");
    }

    /// Takes a file in, and gives the answer.
    pub fn ingest(&self, project: &str, query: &str, text: &str) -> Answer {
        ingest(&self.url, project, query, text).expect("an answer")
    }

    /// Asks again and again until an answer is as wanted.
    pub fn until(&self, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        let begun = Instant::now();
        loop {
            let answer = self.get(path);
            if wanted(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{answer:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Answer {
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    /// The problem, where it is of this status and kind.
    pub fn problem(&self, status: u16, slug: &str) -> Value {
        let problem = self.value();
        assert_eq!(self.status, status, "{problem}");
        assert_eq!(problem["type"], format!("/problems/{slug}"), "{problem}");
        problem
    }

    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}

/// The program, with nothing of the environment's settings: the one built for tests, or another that
/// `OPATLAS_PROGRAM` names.
pub fn opatlas() -> Command {
    let built = || env!("CARGO_BIN_EXE_opatlas").into();
    let mut command = Command::new(std::env::var_os("OPATLAS_PROGRAM").unwrap_or_else(built));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OPATLAS_") {
            command.env_remove(name);
        }
    }
    command
}

/// Takes a file in; `None` when the server went away before it answered.
pub fn ingest(url: &str, project: &str, query: &str, text: &str) -> Option<Answer> {
    let request = agent().post(format!("{url}/v1/projects/{project}/revisions?{query}"));
    let response = request.content_type("application/yaml").send(text);
    response.ok().and_then(read)
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)));
    config.build().into()
}

fn ask(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    read(response.expect("an answer")).expect("a whole answer")
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Option<Answer> {
    let body = response.body_mut().read_to_string().ok()?;
    Some(Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body,
    })
}

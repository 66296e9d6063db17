//! A test double for GitHub's REST API. It stores comments, records requests, and returns the errors,
//! rate limits and pages that a test asks for.

use std::collections::VecDeque;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::common::asked::Asked;

pub const TOKEN: &str = "ghs_token";
pub const HEAD: &str = "1111111111111111111111111111111111111111";
/// The longest text of a comment, in characters.
const LONGEST: usize = 65_536;

/// How a request is answered instead.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// This status, with a message and a header.
    Status(u16, &'static str, Option<(&'static str, &'static str)>),
    /// It does what it is asked, and then says 502.
    DoneThenBad,
    /// It closes the connection without an answer.
    Silence,
}

/// What the site has.
pub struct State {
    pub comments: Vec<Value>,
    /// `METHOD PATH` of each request, in order.
    pub asked: Vec<String>,
    /// The faults of the next requests with this method.
    pub faults: VecDeque<(&'static str, Fault)>,
    /// The commit at the head of pull request 7.
    pub head: String,
    /// Whose token it is: login and kind of account.
    pub author: (&'static str, &'static str),
    /// Whether the token may write.
    pub may_write: bool,
    /// How many comments a page has at most.
    pub page: usize,
    next_id: u64,
}

pub struct Double {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Double {
    /// Starts one with pull request 7 of `octo/torch`; it lasts as long as the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            comments: Vec::new(),
            asked: Vec::new(),
            faults: VecDeque::new(),
            head: HEAD.to_owned(),
            author: ("github-actions[bot]", "Bot"),
            may_write: true,
            page: 100,
            next_id: 1000,
        }));
        let kept = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Asked { head, body } = Asked::read(&stream);
                let answer = answer(&mut kept.lock().unwrap(), &head, &body);
                // Whoever asked may be gone.
                let _ = stream.write_all(&answer);
            }
        });
        Self { url, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The texts of all comments.
    pub fn bodies(&self) -> Vec<String> {
        let comments = &self.state().comments;
        let body = |comment: &Value| comment["body"].as_str().unwrap().to_owned();
        comments.iter().map(body).collect()
    }

    /// What was asked since the last call, without queries.
    pub fn asked(&self) -> Vec<String> {
        let asked = std::mem::take(&mut self.state().asked);
        let path = |line: &String| line.split('?').next().unwrap().to_owned();
        asked.iter().map(path).collect()
    }

    /// Adds a comment of somebody.
    pub fn add(&self, login: &str, kind: &str, body: &str) -> u64 {
        self.state().add(login, kind, body)
    }
}

impl State {
    fn add(&mut self, login: &str, kind: &str, body: &str) -> u64 {
        self.next_id += 1;
        let user = json!({"login": login, "type": kind});
        let comment = json!({"id": self.next_id, "user": user, "body": body});
        self.comments.push(comment);
        self.next_id
    }
}

fn answer(state: &mut State, headers: &[String], body: &[u8]) -> Vec<u8> {
    let mut words = headers[0].split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap_or_default());
    state.asked.push(format!("{method} {target}"));
    let fault = match state.faults.front() {
        Some((of, _)) if *of == method => state.faults.pop_front(),
        _ => None,
    };
    match fault {
        Some((_, Fault::Status(status, message, header))) => {
            let header = header.map(|(name, value)| format!("{name}: {value}\r\n"));
            written(
                status,
                &json!({"message": message}),
                &header.unwrap_or_default(),
            )
        }
        Some((_, Fault::Silence)) => Vec::new(),
        Some((_, Fault::DoneThenBad)) => {
            done(state, method, target, headers, body);
            written(502, &json!({"message": "Server Error"}), "")
        }
        None => {
            let (status, value, more) = done(state, method, target, headers, body);
            written(status, &value, &more)
        }
    }
}

fn said(status: u16, message: &str) -> (u16, Value, String) {
    (status, json!({"message": message}), String::new())
}

/// What the site does.
fn done(
    state: &mut State,
    method: &str,
    target: &str,
    headers: &[String],
    body: &[u8],
) -> (u16, Value, String) {
    let bearer = format!("authorization: Bearer {TOKEN}");
    if !headers
        .iter()
        .any(|line| line.eq_ignore_ascii_case(&bearer))
    {
        return said(401, "Bad credentials");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path == "/user" {
        return match state.author {
            (_, "Bot") => said(403, "Resource not accessible by integration"),
            (login, kind) => (200, json!({"login": login, "type": kind}), String::new()),
        };
    }
    let Some(rest) = path.strip_prefix("/repos/octo/torch/") else {
        return said(404, "Not Found");
    };
    if method != "GET" && !state.may_write {
        return said(403, "Resource not accessible by integration");
    }
    let text = serde_json::from_slice::<Value>(body).ok();
    let text = text.and_then(|value| Some(value["body"].as_str()?.to_owned()));
    if text
        .as_ref()
        .is_some_and(|text| text.chars().count() > LONGEST)
    {
        return said(422, "body is too long (maximum is 65536 characters)");
    }
    match (method, rest, text) {
        ("GET", "pulls/7", _) => {
            let head = json!({"sha": state.head});
            (
                200,
                json!({"number": 7, "state": "open", "head": head}),
                String::new(),
            )
        }
        ("GET", "issues/7/comments", _) => page(state, query),
        ("POST", "issues/7/comments", Some(text)) => {
            let (login, kind) = state.author;
            state.add(login, kind, &text);
            (201, state.comments.last().unwrap().clone(), String::new())
        }
        ("PATCH", one, Some(text)) => match place(state, one) {
            Some(at) => {
                state.comments[at]["body"] = json!(text);
                (200, state.comments[at].clone(), String::new())
            }
            None => said(404, "Not Found"),
        },
        ("DELETE", one, _) => match place(state, one) {
            Some(at) => {
                state.comments.remove(at);
                (204, Value::Null, String::new())
            }
            None => said(404, "Not Found"),
        },
        _ => said(404, "Not Found"),
    }
}

fn place(state: &State, path: &str) -> Option<usize> {
    let id: u64 = path.strip_prefix("issues/comments/")?.parse().ok()?;
    state
        .comments
        .iter()
        .position(|comment| comment["id"] == id)
}

fn page(state: &State, query: &str) -> (u16, Value, String) {
    let number = |name: &str, otherwise: usize| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(found, _)| *found == name);
        found.map_or(otherwise, |(_, value)| value.parse().unwrap())
    };
    let (size, page) = (number("per_page", 30).min(state.page), number("page", 1));
    let shown: Vec<Value> = state
        .comments
        .iter()
        .skip((page - 1) * size)
        .take(size)
        .cloned()
        .collect();
    let more = match page * size < state.comments.len() {
        true => format!(
            "link: <http://elsewhere.example/?page={}>; rel=\"next\"\r\n",
            page + 1
        ),
        false => String::new(),
    };
    (200, json!(shown), more)
}

fn written(status: u16, value: &Value, more: &str) -> Vec<u8> {
    let body = if value.is_null() {
        String::new()
    } else {
        value.to_string()
    };
    format!(
        "HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\nx-ratelimit-remaining: 4999\r\n{more}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

//! Who may do what: tokens, their projects and actions, signatures, and pages of other sites.

use axum::http::Method;
use hmac::{Hmac, KeyInit as _, Mac as _};
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use opatlas_service::access::{Action, Projects};
use opatlas_service::{Limits, MadeToken, NewToken};
use opatlas_store::ProjectName;
use serde_json::json;
use sha2::Sha256;

use crate::api::harness::{Answer, SMALL, Server};

/// A server with projects `p` and `q`, each with our operators under `2.9.0` and `main`.
async fn server(auth: AuthMode) -> Server {
    let open = Server::new().await;
    for project in ["p", "q"] {
        open.project(project).await;
        open.ingest(project, "label=2.9.0", SMALL).await;
        open.ingest(project, "label=main", SMALL).await;
    }
    let config = ApiConfig {
        auth,
        ..ApiConfig::default()
    };
    open.configured(config)
}

pub async fn token(server: &Server, projects: &[&str], actions: &[Action]) -> MadeToken {
    let names = projects
        .iter()
        .map(|name| ProjectName::parse(name).unwrap());
    let new = NewToken {
        name: "test".to_owned(),
        projects: match projects {
            [] => Projects::All,
            _ => Projects::Only(names.collect()),
        },
        actions: actions.to_vec(),
        expires_at: None,
        signing: true,
    };
    server.service.create_token(new).await.unwrap()
}

fn bearer(token: &MadeToken) -> String {
    format!("Bearer {}", token.secret)
}

/// Every route that changes something of project `p`, with a request that would go through.
const CHANGES: [(&str, &str, Action); 7] = [
    ("POST", "/v1/projects", Action::Admin),
    ("PATCH", "/v1/projects/p", Action::Admin),
    (
        "POST",
        "/v1/projects/p/revisions?label=main",
        Action::Ingest,
    ),
    ("PUT", "/v1/projects/p/labels/main", Action::Label),
    ("DELETE", "/v1/projects/p/labels/main", Action::Label),
    (
        "DELETE",
        "/v1/projects/p/revisions/sha256:00000000",
        Action::Admin,
    ),
    ("DELETE", "/v1/projects/p", Action::Admin),
];

async fn change(server: &Server, method: &str, path: &str, token: Option<&str>) -> Answer {
    let question = server.ask(Method::from_bytes(method.as_bytes()).unwrap(), path);
    let question = match (method, path) {
        ("POST", "/v1/projects") => question.json(&json!({"name": "p"})),
        ("PATCH", _) => question.json(&json!({"description": "x"})),
        ("PUT", _) => question.json(&json!({"revision": "2.9.0"})),
        ("POST", _) => question.yaml(SMALL),
        _ => question,
    };
    match token {
        Some(token) => question.header("authorization", token).send().await,
        None => question.send().await,
    }
}

#[tokio::test]
async fn changes_need_a_token_and_reads_do_not() {
    let server = server(AuthMode::Writes).await;
    for (method, path, _) in CHANGES {
        let answer = change(&server, method, path, None).await;
        answer.problem(401, "unauthenticated");
        assert!(
            answer.header("www-authenticate").starts_with("Bearer"),
            "{method} {path}"
        );
        for wrong in [
            "Bearer opatlas_0000",
            "Basic b3BhdGxhczo=",
            "Bearer ",
            "nonsense",
        ] {
            change(&server, method, path, Some(wrong))
                .await
                .problem(401, "unauthenticated");
        }
    }
    for path in [
        "/v1/projects",
        "/v1/projects/p/revisions/latest/operators",
        "/metrics",
    ] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    let parsed = server.post("/v1/parse").yaml(SMALL).send().await;
    assert_eq!(parsed.status, 200);
}

#[tokio::test]
async fn a_token_allows_its_actions_and_no_others() {
    for allowed in Action::ALL {
        let server = server(AuthMode::Writes).await;
        let made = token(&server, &["p"], &[allowed]).await;
        for (method, path, needed) in CHANGES {
            let answer = change(&server, method, path, Some(&bearer(&made))).await;
            if needed == allowed {
                assert!(
                    ![401, 403].contains(&answer.status.as_u16()),
                    "{method} {path}"
                );
            } else {
                answer.problem(403, "forbidden");
                assert!(
                    answer
                        .header("www-authenticate")
                        .contains("insufficient_scope")
                );
            }
        }
    }
}

#[tokio::test]
async fn a_token_for_one_project_opens_no_other() {
    let server = server(AuthMode::All).await;
    let made = token(&server, &["q"], &Action::ALL).await;
    let token = bearer(&made);
    for (method, path, _) in CHANGES {
        change(&server, method, path, Some(&token))
            .await
            .problem(403, "forbidden");
    }
    let reads = [
        "",
        "/revisions",
        "/revisions/latest",
        "/revisions/2.9.0/operators",
        "/revisions/2.9.0/files/native_functions.yaml",
        "/revisions/main/findings",
        "/labels",
        "/labels/main",
        "/revisions/main/keys/CPU",
    ];
    for read in reads {
        let own = server.get(&format!("/v1/projects/q{read}"));
        assert_eq!(
            own.header("authorization", &token).send().await.status,
            200,
            "{read}"
        );
        // Whether it is there or not, spelt plainly or not, the answer is the same.
        for other in ["p", "%70", "absent"] {
            let path = format!("/v1/projects/{other}{read}");
            let answer = server
                .get(&path)
                .header("authorization", &token)
                .send()
                .await;
            answer.problem(403, "forbidden");
        }
    }
    let listed = server
        .get("/v1/projects")
        .header("authorization", &token)
        .send()
        .await
        .ok();
    let names: Vec<_> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["name"])
        .collect();
    assert_eq!(names, ["q"]);
    let made = server.post("/v1/projects").header("authorization", &token);
    made.json(&json!({"name": "other"}))
        .send()
        .await
        .problem(403, "forbidden");
}

#[tokio::test]
async fn with_auth_all_only_the_service_itself_is_open() {
    let server = server(AuthMode::All).await;
    for path in [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/v1/version",
        "/v1/access",
        "/problems/forbidden",
    ] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    for path in [
        "/v1/projects",
        "/v1/rules",
        "/v1/releases",
        "/metrics",
        "/v1/projects/p",
    ] {
        server
            .get(path)
            .send()
            .await
            .problem(401, "unauthenticated");
    }
    server
        .post("/v1/validate")
        .yaml(SMALL)
        .send()
        .await
        .problem(401, "unauthenticated");
    let made = token(&server, &["p"], &[Action::Read]).await;
    for path in ["/v1/projects", "/v1/rules", "/metrics", "/v1/projects/p"] {
        let answer = server
            .get(path)
            .header("authorization", bearer(&made))
            .send()
            .await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

/// A shared cache stores an answer that is `public`, even if its request had a token.
#[tokio::test]
async fn answers_that_need_a_token_are_not_for_shared_caches() {
    let open = Server::small().await;
    let address = open.get("/v1/projects/p/revisions/2.9.0").send().await.ok();
    let address = address["revision"].as_str().unwrap();
    let closed = open.configured(ApiConfig {
        auth: AuthMode::All,
        ..ApiConfig::default()
    });
    let made = token(&closed, &["p"], &[Action::Read]).await;
    let file = format!("/v1/projects/p/revisions/{address}/files/native_functions.yaml");
    for (path, caching) in [
        (&*file, "private, max-age=31536000, immutable"),
        ("/v1/projects", "private, no-cache"),
        (
            "/v1/projects/p/revisions/2.9.0/operators",
            "private, no-cache",
        ),
    ] {
        let ask = || closed.get(path).header("authorization", bearer(&made));
        let first = ask().send().await;
        assert_eq!(first.header("cache-control"), caching, "{path}");
        let again = ask().header("if-none-match", first.header("etag"));
        let again = again.send().await;
        assert_eq!(again.status, 304);
        assert_eq!(again.header("cache-control"), caching, "{path}");
    }
    let answer = open.get(&file).send().await;
    assert!(answer.header("cache-control").starts_with("public"));
}

#[tokio::test]
async fn with_auth_all_the_first_fault_is_the_missing_token() {
    let server = server(AuthMode::All).await;
    for path in ["/v1/projects/p?x=1", "/v1/rules?x=1"] {
        let answer = server.get(path).send().await;
        answer.problem(401, "unauthenticated");
    }
}

/// What `/v1/access` answers: the state of the token, and the verdict of each action.
async fn rights(server: &Server, query: &str, token: Option<&str>) -> (String, Vec<String>) {
    let question = server.get(&format!("/v1/access{query}"));
    let question = match token {
        Some(token) => question.header("authorization", token),
        None => question,
    };
    let value = question.send().await.ok();
    let rights = value["rights"].as_array().unwrap();
    let names: Vec<_> = rights.iter().map(|right| &right["action"]).collect();
    assert_eq!(names, Action::ALL.map(Action::as_str));
    let verdicts = rights
        .iter()
        .map(|right| right["verdict"].as_str().unwrap());
    let token = value["token"].as_str().unwrap().to_owned();
    (token, verdicts.map(str::to_owned).collect())
}

#[tokio::test]
async fn a_caller_can_ask_what_it_may_do() {
    let all = |verdict: &str| vec![verdict.to_owned(); 5];
    let open = server(AuthMode::Off).await;
    assert_eq!(
        rights(&open, "", None).await,
        ("absent".to_owned(), all("allowed"))
    );

    let writes = server(AuthMode::Writes).await;
    let mut expected = all("token-required");
    expected[0] = "allowed".to_owned();
    assert_eq!(
        rights(&writes, "?project=p", None).await,
        ("absent".to_owned(), expected)
    );

    let closed = server(AuthMode::All).await;
    assert_eq!(
        rights(&closed, "", None).await,
        ("absent".to_owned(), all("token-required"))
    );
    for wrong in ["Bearer opatlas_0000", "nonsense"] {
        let answer = rights(&closed, "", Some(wrong)).await;
        assert_eq!(answer, ("invalid".to_owned(), all("token-required")));
    }
    let made = token(&closed, &["p"], &[Action::Ingest]).await;
    let secret = bearer(&made);
    let (state, verdicts) = rights(&closed, "?project=p", Some(&secret)).await;
    assert_eq!(state, "valid");
    assert_eq!(
        verdicts,
        [
            "allowed",
            "allowed",
            "not-allowed",
            "not-allowed",
            "not-allowed"
        ]
    );
    // A project that does not exist is answered like one that the token does not open.
    for other in ["?project=q", "?project=absent"] {
        let answer = rights(&closed, other, Some(&secret)).await;
        assert_eq!(answer, ("valid".to_owned(), all("not-allowed")), "{other}");
    }
    let invalid = closed.get("/v1/access?project=a/b").send().await;
    invalid.problem(400, "invalid-name");
    closed.service.revoke_token(&made.record.id).await.unwrap();
    assert_eq!(rights(&closed, "", Some(&secret)).await.0, "invalid");
}

#[tokio::test]
async fn tokens_end_when_they_are_revoked_or_expire() {
    let server = server(AuthMode::Writes).await;
    let made = token(&server, &["p"], &[Action::Ingest]).await;
    let path = "/v1/projects/p/revisions";
    assert_eq!(
        change(&server, "POST", path, Some(&bearer(&made)))
            .await
            .status,
        200
    );
    server.service.revoke_token(&made.record.id).await.unwrap();
    let refused = change(&server, "POST", path, Some(&bearer(&made))).await;
    let problem = refused.problem(401, "unauthenticated");
    assert_eq!(problem["detail"], "the token was revoked");
    let new = NewToken {
        name: "short".to_owned(),
        projects: Projects::All,
        actions: vec![Action::Ingest],
        // The clock of the tests begins long after.
        expires_at: Some(1_600_000_000_000_000),
        signing: false,
    };
    let made = server.service.create_token(new).await.unwrap();
    let refused = change(&server, "POST", path, Some(&bearer(&made))).await;
    let problem = refused.problem(401, "unauthenticated");
    assert_eq!(problem["detail"], "the token has expired");
    let listed = server.service.tokens().await.unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed[0].last_used_at.is_some() && listed[0].revoked_at.is_some());
    let shown = format!("{listed:?}");
    assert!(!shown.contains(&made.record.hash.to_string()), "{shown}");
}

#[tokio::test]
async fn a_protected_label_is_forced_only_by_who_may_move_labels() {
    let server = server(AuthMode::Writes).await;
    let only = token(&server, &["p"], &[Action::Ingest]).await;
    let both = token(&server, &["p"], &[Action::Ingest, Action::Label]).await;
    let path = "/v1/projects/p/revisions?label=2.9.0&force=true";
    change(&server, "POST", path, Some(&bearer(&only)))
        .await
        .problem(403, "forbidden");
    assert_eq!(
        change(&server, "POST", path, Some(&bearer(&both)))
            .await
            .status,
        200
    );
}

/// Rights are decided on what the handler reads, so no spelling of a parameter passes unseen.
#[tokio::test]
async fn no_spelling_of_force_passes_unseen() {
    let server = server(AuthMode::Writes).await;
    let only = token(&server, &["p"], &[Action::Ingest]).await;
    let before = server.get("/v1/projects/p/labels/2.9.0").send().await.ok();
    for force in [
        "force=true",
        "%66orce=true",
        "f%6frce=true",
        "f%6Frce=%74rue",
        "%66%6f%72%63%65=true",
        "force=false&%66orce=true",
        "force=true&force=false",
        "&&force=true&",
    ] {
        let path = format!("/v1/projects/p/revisions?label=2.9.0&{force}");
        let ask = server
            .post(&path)
            .yaml("- func: other(Tensor self) -> Tensor\n");
        let ask = ask.header("authorization", bearer(&only));
        ask.send().await.problem(403, "forbidden");
    }
    let after = server.get("/v1/projects/p/labels/2.9.0").send().await.ok();
    assert_eq!(before, after);
    for unforced in ["force=false", "%66orce=false", "force=", "force"] {
        let path = format!("/v1/projects/p/revisions?label=main&{unforced}");
        let answer = change(&server, "POST", &path, Some(&bearer(&only))).await;
        assert_eq!(answer.status, 200, "{unforced}: {}", answer.text());
    }
}

/// A right to all projects is not a right to a path that names none.
#[tokio::test]
async fn a_path_that_names_no_project_is_refused() {
    let server = server(AuthMode::All).await;
    let one = token(&server, &["p"], &Action::ALL).await;
    for name in ["q%2F..%2Fp", "p%00", "%FF", "p%20"] {
        let path = format!("/v1/projects/{name}/revisions");
        let ask = server.get(&path).header("authorization", bearer(&one));
        let answer = ask.unchecked().await;
        assert_eq!(answer.status, 400, "{name}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_body_may_be_signed_instead() {
    let server = server(AuthMode::Writes).await;
    let made = token(&server, &["p"], &[Action::Ingest, Action::Label]).await;
    let key = made.signing_key.as_deref().unwrap();
    let sign = |key: &str, body: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let bytes = mac.finalize().into_bytes();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256={hex}")
    };
    let send = async |signature: String, id: &str, path: &str| {
        let question = server.post(path).yaml(SMALL);
        let question = question.header("x-opatlas-signature", signature);
        question.header("x-opatlas-token", id).send().await
    };
    let (id, path) = (made.record.id.as_str(), "/v1/projects/p/revisions");
    assert_eq!(send(sign(key, SMALL), id, path).await.status, 200);
    send(sign(key, SMALL), id, "/v1/projects/q/revisions")
        .await
        .problem(403, "forbidden");
    for (signature, id) in [
        (sign(key, "another body"), id),
        (sign("another key", SMALL), id),
        (sign(key, SMALL), "000000000000"),
        (sign(key, SMALL), "'; DROP TABLE tokens"),
        ("sha256=".to_owned(), id),
        ("md5=00".to_owned(), id),
    ] {
        send(signature, id, path)
            .await
            .problem(401, "unauthenticated");
    }
    // The signature of nothing would open all that has no body.
    let empty = server.delete("/v1/projects/p/labels/main");
    let empty = empty.header("x-opatlas-signature", sign(key, ""));
    empty
        .header("x-opatlas-token", id)
        .send()
        .await
        .problem(401, "unauthenticated");
    // The signing key is no token, and the token no signing key.
    let as_token = format!("Bearer {key}");
    change(&server, "POST", path, Some(&as_token))
        .await
        .problem(401, "unauthenticated");
    send(sign(&made.secret, SMALL), id, path)
        .await
        .problem(401, "unauthenticated");
}

/// Who names no token that may sign is answered before the body is read.
#[tokio::test]
async fn an_unknown_signer_sends_no_body() {
    let server = server(AuthMode::Writes).await;
    let unsigning = NewToken {
        name: "plain".to_owned(),
        projects: Projects::All,
        actions: vec![Action::Ingest],
        expires_at: None,
        signing: false,
    };
    let plain = server.service.create_token(unsigning).await.unwrap();
    let signature = format!("sha256={}", "0".repeat(64));
    for id in ["000000000000", plain.record.id.as_str(), "'; --"] {
        let ask = server.post("/v1/projects/p/revisions").unread();
        let ask = ask.header("x-opatlas-signature", &signature);
        let asked = ask.header("x-opatlas-token", id).send();
        let answer = tokio::time::timeout(std::time::Duration::from_secs(20), asked);
        let answer = answer.await.expect("an answer without the body");
        answer.problem(401, "unauthenticated");
    }
}

/// Pages and cursors of the list of projects hold what the token may see, and nothing else.
#[tokio::test]
async fn cursors_name_no_hidden_project() {
    let server = server(AuthMode::All).await;
    let everyone = Server::configured(&server, ApiConfig::default());
    for hidden in ["a-secret", "o-secret", "pp-secret", "q-secret", "z-secret"] {
        everyone.project(hidden).await;
    }
    let made = token(&server, &["p", "q"], &[Action::Read]).await;
    let ask = async |path: &str| {
        let ask = server.get(path).header("authorization", bearer(&made));
        ask.send().await
    };
    let (mut seen, mut path) = (Vec::new(), "/v1/projects?limit=1".to_owned());
    loop {
        let page = ask(&path).await.ok();
        let items = page["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{page}");
        seen.push(items[0]["name"].as_str().unwrap().to_owned());
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        let place: Vec<u8> = (8..cursor.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).unwrap())
            .collect();
        assert!(!String::from_utf8_lossy(&place).contains("secret"));
        path = format!("/v1/projects?limit=1&cursor={cursor}");
    }
    assert_eq!(seen, ["p", "q"]);
    let whole = ask("/v1/projects?limit=2").await.ok();
    assert!(whole["next_cursor"].is_null(), "{whole}");
    for malformed in ["q-secret", "zz", "%FF", "00000000+1"] {
        let answer = ask(&format!("/v1/projects?cursor={malformed}")).await;
        assert_eq!(answer.status, 400, "{malformed}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing() {
    let server = server(AuthMode::Off).await;
    for (header, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let question = server.post("/v1/projects/p/revisions").yaml(SMALL);
        let question = question
            .header("host", "127.0.0.1:8080")
            .header(header, value);
        question.send().await.problem(403, "forbidden");
    }
    let own = server.post("/v1/projects/p/revisions").yaml(SMALL);
    let own = own
        .header("host", "127.0.0.1:8080")
        .header("origin", "http://127.0.0.1:8080");
    assert_eq!(own.send().await.status, 200);
    let read = server
        .get("/v1/projects")
        .header("origin", "https://evil.example");
    let answer = read.send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn sites_that_are_named_may_use_the_api() {
    let config = ApiConfig {
        cors_origins: vec!["https://ci.example.org".to_owned()],
        ..ApiConfig::default()
    };
    let server = Server::with(Limits::default(), config).await;
    server.project("p").await;
    let asked = server.ask(Method::OPTIONS, "/v1/projects/p/revisions");
    let asked = asked.header("origin", "https://ci.example.org");
    let asked = asked
        .header("access-control-request-method", "POST")
        .unchecked_head()
        .await;
    assert_eq!(
        asked.header("access-control-allow-origin"),
        "https://ci.example.org"
    );
    let answer = server
        .get("/v1/projects")
        .header("origin", "https://ci.example.org")
        .send()
        .await;
    assert_eq!(
        answer.header("access-control-allow-origin"),
        "https://ci.example.org"
    );
    let other = server
        .get("/v1/projects")
        .header("origin", "https://evil.example")
        .send()
        .await;
    assert_eq!(other.header("access-control-allow-origin"), "");
    let change = server.post("/v1/projects/p/revisions").yaml(SMALL);
    let change = change
        .header("origin", "https://ci.example.org")
        .send()
        .await;
    assert_eq!(change.status, 201);
}

//! Comparing revisions and schemas over HTTP, and the exceptions that comparisons are judged with.

use serde_json::{Value, json};

use crate::api::harness::{SMALL, Server};

const OLD: &str = "\
- func: can_cast(ScalarType from, ScalarType to) -> bool
- func: keep(Tensor self) -> Tensor
- func: _private(Tensor self, int dim) -> Tensor
- func: frozen(Tensor self, int dim) -> Tensor
  tags: core
";
const NEW: &str = "\
- func: can_cast(ScalarType from_, ScalarType to) -> bool
- func: keep(Tensor self) -> Tensor
- func: _private(Tensor self, int dim) -> Tensor
- func: frozen(Tensor self, int dim) -> Tensor
  tags: core
";

async fn server() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=2.14.0", OLD).await;
    server.ingest("p", "label=2.15.0", NEW).await;
    server
}

fn files(text: &str) -> Value {
    json!({"files": {"native_functions.yaml": text}})
}

const RANGE: &str = "/v1/projects/p/compare/2.14.0...2.15.0";

#[tokio::test]
async fn a_stored_range() {
    let server = server().await;
    let answer = server.get(RANGE).send().await;
    let comparison = answer.ok();
    assert_eq!(comparison["conclusion"], "fail");
    assert_eq!(comparison["summary"]["breaking"], 1);
    assert_eq!(comparison["official"]["backward"], json!(["can_cast"]));
    assert_eq!(comparison["official"]["forward"], json!(["can_cast"]));
    assert_eq!(comparison["base"]["title"], "p 2.14.0");
    let change = &comparison["changes"][0];
    assert_eq!(change["rule"], "argument-renamed");
    assert_eq!(change["argument"], "from");
    assert_eq!(change["level"], "breaking");
    assert_eq!(change["breaks"], json!(["python-keyword", "autograd"]));
    assert_eq!(
        (&change["old"], &change["new"]),
        (&json!("ScalarType from"), &json!("ScalarType from_"))
    );
    assert_eq!(change["head_span"]["line"], 1);
    assert_eq!(change["head_span"]["column"], 18);
    let accept = change["accept"].as_str().unwrap();
    assert!(
        accept.starts_with("opatlas exception add can_cast argument-renamed"),
        "{accept}"
    );
    // The same as long as nothing is stored; known by its ETag.
    let etag = answer.header("etag").to_owned();
    let again = server
        .get(RANGE)
        .header("if-none-match", &etag)
        .send()
        .await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn every_form() {
    let server = server().await;
    for (accept, begins) in [
        (
            "text/markdown",
            "### **Blocked:** `can_cast`: argument `from` renamed",
        ),
        ("text/plain", ""),
        ("application/sarif+json", "{"),
        ("application/xml", "<?xml"),
    ] {
        let answer = server.get(RANGE).header("accept", accept).send().await;
        assert_eq!(answer.status, 200, "{accept}");
        let text = answer.text();
        assert!(text.starts_with(begins), "{accept}: {text}");
        assert!(text.contains("can_cast"), "{accept}: {text}");
    }
}

#[tokio::test]
async fn filters_restrict_the_list() {
    let server = server().await;
    let all = server.get(RANGE).send().await.ok();
    assert!(all["filtered"].is_null());
    for (query, causes) in [
        ("level=breaking", 1),
        ("operator=can_*,other", 1),
        ("operator=other", 0),
        ("backend=CUDA,MPS", 0),
    ] {
        let answer = server.get(&format!("{RANGE}?{query}")).send().await.ok();
        assert_eq!(answer["filtered"]["causes"], causes, "{query}");
        assert_eq!(
            answer["causes"].as_array().unwrap().len(),
            causes,
            "{query}"
        );
        assert_eq!(
            answer["changes"].as_array().unwrap().is_empty(),
            causes == 0,
            "{query}"
        );
        assert_eq!(
            answer["filtered"]["of"],
            all["causes"].as_array().unwrap().len()
        );
        for same in ["conclusion", "summary", "official"] {
            assert_eq!(answer[same], all[same], "{query}");
        }
    }
    for (query, status, kind) in [
        ("backend=CUDAA", 422, "unknown-value"),
        ("level=worst", 400, "invalid-parameter"),
        ("operator=a&operator=b", 400, "invalid-parameter"),
    ] {
        let answer = server.get(&format!("{RANGE}?{query}")).send().await;
        answer.problem(status, kind);
    }
}

#[tokio::test]
async fn parts_of_a_report() {
    let server = Server::new().await;
    server.project("p").await;
    let entries = |suffix: &str, default: u8| -> String {
        let entry = |i: usize| {
            let default = 2 * i + usize::from(default);
            let argument = format!("int dim{suffix}, int other={default}");
            format!("- func: operator_{i}(Tensor self, {argument}) -> Tensor\n")
        };
        (0..200).map(entry).collect()
    };
    server.ingest("p", "label=2.14.0", &entries("", 0)).await;
    server
        .ingest("p", "label=2.15.0", &entries("ension", 1))
        .await;
    let path = format!("{RANGE}?max_chars=3000");
    let markdown = |part: usize| {
        let path = format!("{path}&part={part}");
        let server = &server;
        async move {
            server
                .get(&path)
                .header("accept", "text/markdown")
                .send()
                .await
        }
    };
    let first = markdown(1).await;
    let count: usize = first.header("x-parts").parse().unwrap();
    assert!(count > 1);
    let mut all = String::new();
    for part in 1..=count {
        let answer = markdown(part).await;
        assert_eq!(answer.status, 200);
        assert!(answer.text().chars().count() <= 3000);
        all.push_str(&answer.text());
    }
    assert_eq!(all.matches("- **`operator_").count(), 20);
    assert!(all.contains("- and 180 more"), "{all}");
    markdown(count + 1).await.problem(404, "unknown-part");
    let parts = server.get(&path).send().await.ok();
    assert_eq!(parts["parts"].as_array().unwrap().len(), count);
    server
        .get(&format!("{RANGE}?max_chars=10"))
        .send()
        .await
        .problem(400, "invalid-parameter");
}

#[tokio::test]
async fn what_cannot_be_compared() {
    let server = server().await;
    let range = |range: &str| format!("/v1/projects/p/compare/{range}");
    for (path, status, kind) in [
        (range("2.14.0...2.14.0"), 422, "same-revision"),
        (range("2.14.0...9.9.9"), 404, "unknown-revision"),
        (range("nightly...2.14.0"), 404, "unknown-revision"),
        (range("2.14.0..2.15.0"), 400, "invalid-name"),
        (range("2.14.0...2.15.0?part=0"), 400, "invalid-parameter"),
        (
            range("2.14.0...2.15.0?profile=mine"),
            400,
            "invalid-parameter",
        ),
        (
            "/v1/projects/q/compare/a...b".to_owned(),
            404,
            "unknown-project",
        ),
    ] {
        server.get(&path).send().await.problem(status, kind);
    }
    for (body, status, kind) in [
        (
            json!({"base": files("- func: [\n"), "head": files(NEW)}),
            422,
            "nothing-to-compare",
        ),
        (
            json!({"base": files("[]"), "head": files(OLD)}),
            422,
            "nothing-to-compare",
        ),
        (
            json!({"base": files(OLD), "head": {}}),
            400,
            "malformed-body",
        ),
        (json!({"base": files(OLD)}), 400, "malformed-body"),
        (
            json!({"base": files(OLD), "head": files(NEW), "policy": {"fail_on": "sometimes"}}),
            422,
            "invalid-policy",
        ),
        (
            json!({"base": files(OLD), "head": files(NEW), "policy": {"fail": "x"}}),
            422,
            "invalid-policy",
        ),
    ] {
        let answer = server.post("/v1/compare").json(&body).send().await;
        answer.problem(status, kind);
    }
}

/// What could not be read is never taken for unchanged or removed, and never passes.
#[tokio::test]
async fn an_unreadable_entry_is_told() {
    let server = Server::new().await;
    let broken = NEW.replace("keep(Tensor self)", "keep(Tensr self");
    let body = json!({"base": files(NEW), "head": files(&broken)});
    let comparison = server.post("/v1/compare").json(&body).send().await.ok();
    // PyTorch's generator rejects it, and took the base.
    assert_eq!(comparison["conclusion"], "fail");
    assert_eq!(comparison["findings"]["new"][0]["severity"], "error");
    assert_eq!(comparison["changes"], json!([]));
    assert_eq!(comparison["unread"][0]["operator"], "keep");
    assert_eq!(comparison["unread"][0]["side"], "head");
    assert_eq!(comparison["unread"][0]["span"]["line"], 2);
    assert!(!comparison["head_findings"].as_array().unwrap().is_empty());
    let markdown = server.post("/v1/compare").header("accept", "text/markdown");
    let text = markdown.json(&body).send().await.text();
    assert!(
        text.lines().next().unwrap().contains("was not compared"),
        "{text}"
    );
}

#[tokio::test]
async fn files_against_files() {
    let server = Server::new().await;
    let same = json!({"base": files(OLD), "head": files(OLD)});
    let comparison = server.post("/v1/compare").json(&same).send().await.ok();
    assert_eq!(comparison["conclusion"], "pass");
    assert_eq!(comparison["changes"], json!([]));

    let frozen = NEW.replace(
        "frozen(Tensor self, int dim)",
        "frozen(Tensor self, int axis)",
    );
    let exception = |operator: &str| json!({"operator": operator, "rule": "argument-renamed", "reason": "agreed"});
    let body = json!({
        "base": files(OLD), "head": files(&frozen),
        "exceptions": [exception("can_cast"), exception("frozen")],
    });
    let comparison = server.post("/v1/compare").json(&body).send().await.ok();
    // A core operator cannot be excused.
    assert_eq!(comparison["summary"]["excepted"], 1);
    assert_eq!(comparison["conclusion"], "fail");
    let rules: Vec<&str> = comparison["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"core-operator-bc-broken"), "{rules:?}");
    assert!(rules.contains(&"allow-listed"), "{rules:?}");
    let held: Vec<&Value> = comparison["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|change| change["rule"] == "argument-renamed")
        .map(|change| &change["exception"]["holds"])
        .collect();
    assert_eq!(held, [true, false]);
}

/// The caller hears which of the exceptions in its request can go.
#[tokio::test]
async fn exceptions_of_a_request_that_excuse_nothing_are_named() {
    let server = Server::new().await;
    let exception = |operator: &str, until: Option<&str>| {
        json!({
            "operator": operator, "rule": "argument-renamed", "reason": "agreed", "until": until
        })
    };
    let body = json!({
        "base": files(OLD), "head": files(NEW),
        "exceptions": [
            exception("keep", Some("2.3")),
            exception("can_cast", None),
            exception("kep", None),
            exception("k*", Some("2020-01-31")),
        ],
    });
    let comparison = server.post("/v1/compare").json(&body).send().await.ok();
    let notes = comparison["notes"].as_array().unwrap().iter();
    let notes: Vec<&str> = notes.filter_map(Value::as_str).collect();
    let about = |id: &str| notes.iter().find(|note| note.starts_with(id));
    let expired = about("exceptions[0]").unwrap_or_else(|| panic!("{notes:?}"));
    assert!(
        expired.contains("ended with 2.3 and excuses nothing"),
        "{expired}"
    );
    assert_eq!(about("exceptions[1]"), None);
    let unknown = about("exceptions[2]").unwrap_or_else(|| panic!("{notes:?}"));
    assert!(unknown.contains("did you mean `keep`?"), "{unknown}");
    let pattern = about("exceptions[3]").unwrap_or_else(|| panic!("{notes:?}"));
    assert!(pattern.contains("ended with 2020-01-31"), "{pattern}");
}

#[tokio::test]
async fn a_profile_changes_levels_and_removes_nothing() {
    let server = server().await;
    let strict = server.get(RANGE).send().await.ok();
    for profile in ["official", "python", "model", "cpp", "backend", "compiler"] {
        let path = format!("{RANGE}?profile={profile}");
        let answer = server.get(&path).send().await.ok();
        assert_eq!(answer["profile"], profile);
        assert_eq!(
            answer["changes"].as_array().unwrap().len(),
            strict["changes"].as_array().unwrap().len()
        );
    }
    let cpp = server
        .get(&format!("{RANGE}?profile=cpp"))
        .send()
        .await
        .ok();
    assert_eq!(cpp["conclusion"], "pass");
}

#[tokio::test]
async fn the_level_that_fails_can_be_asked_for() {
    let server = server().await;
    let policy = server.get(RANGE).send().await.ok();
    assert_eq!(
        (&policy["fail_on"], &policy["conclusion"]),
        (&json!("breaking"), &json!("fail"))
    );
    for (fail_on, conclusion) in [
        ("never", "warn"),
        ("dangerous", "fail"),
        ("breaking", "fail"),
    ] {
        let answer = server
            .get(&format!("{RANGE}?fail_on={fail_on}"))
            .send()
            .await
            .ok();
        assert_eq!(
            (&answer["fail_on"], &answer["conclusion"]),
            (&json!(fail_on), &json!(conclusion))
        );
        assert_eq!(answer["changes"], policy["changes"]);
        let permalink = answer["permalink"].as_str().unwrap();
        assert!(
            permalink.ends_with(&format!("?fail_on={fail_on}")),
            "{permalink}"
        );
    }
    let refused = server
        .get(&format!("{RANGE}?fail_on=sometimes"))
        .send()
        .await;
    refused.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn a_project_accepts_a_change() {
    let server = server().await;
    let path = "/v1/projects/p/exceptions";
    let new = json!({
        "operator": "can_cast", "rule": "argument-renamed", "argument": "from",
        "reason": "from is a keyword", "owner": "core", "until_release": "2.15"
    });
    let made = server.post(path).json(&new).send().await;
    assert_eq!(made.status, 201);
    let location = made.header("location").to_owned();
    let exception = made.value();
    assert_eq!(exception["status"], "expiring");
    assert_eq!(server.get(&location).send().await.ok(), exception);
    assert_eq!(server.get(path).send().await.ok()["items"][0], exception);

    let comparison = server.get(RANGE).send().await.ok();
    assert_eq!(comparison["summary"]["breaking"], 0);
    assert_eq!(comparison["summary"]["excepted"], 1);
    // It ends with this release, so it warns.
    assert_eq!(comparison["conclusion"], "warn");

    assert_eq!(server.delete(&location).send().await.status, 204);
    server
        .delete(&location)
        .send()
        .await
        .problem(404, "unknown-exception");
    assert_eq!(server.get(RANGE).send().await.ok()["conclusion"], "fail");

    for (member, value) in [
        ("rule", "argument-renamd"),
        ("until_date", "soon"),
        ("until_release", "nine"),
        ("reason", " "),
    ] {
        let mut bad = new.clone();
        bad.as_object_mut().unwrap().remove("until_release");
        bad[member] = json!(value);
        let answer = server.post(path).json(&bad).send().await;
        answer.problem(422, "invalid-policy");
    }
}

#[tokio::test]
async fn a_policy_of_the_project() {
    let server = server().await;
    let set = |policy: Value| {
        let server = &server;
        async move {
            let body = json!({"policy": policy});
            server.patch("/v1/projects/p").json(&body).send().await.ok();
            server.get(RANGE).send().await.ok()
        }
    };
    let answer = set(json!({"fail_on": "never", "warn_on": "breaking"})).await;
    assert_eq!(answer["conclusion"], "warn");
    let answer = set(json!({"profile": "cpp"})).await;
    assert_eq!(
        (&answer["profile"], &answer["conclusion"]),
        (&json!("cpp"), &json!("pass"))
    );
    let answer = set(json!({"namespaces": {"aten": "ignore"}})).await;
    assert_eq!(answer["conclusion"], "pass");
    // A slip of the pen is refused, and the policy stays.
    let slip = json!({"policy": {"fail_onn": "never"}});
    let answer = server.patch("/v1/projects/p").json(&slip).send().await;
    let problem = answer.problem(422, "invalid-policy");
    assert!(problem.to_string().contains("did you mean `fail_on`"));
    let answer = server.get(RANGE).send().await.ok();
    assert_eq!(answer["conclusion"], "pass");
    let slip = json!({"name": "q", "policy": {"private": 3}});
    let answer = server.post("/v1/projects").json(&slip).send().await;
    answer.problem(422, "invalid-policy");
}

#[tokio::test]
async fn against_further_revisions() {
    let server = server().await;
    let gone = NEW.replace("- func: keep(Tensor self) -> Tensor\n", "");
    server.ingest("p", "label=pr-1", &gone).await;
    let path = "/v1/projects/p/compare/2.15.0...pr-1?against=all";
    let answer = server.get(path).send().await.ok();
    let against = answer["against"].as_array().unwrap();
    assert_eq!(against.len(), 1);
    assert_eq!(against[0]["base"]["label"], "2.14.0");
    // Told already of 2.15.0: that `keep` is gone. New: the argument that 2.14.0 called otherwise.
    let rules = against[0]["changes"].as_array().unwrap().iter();
    let rules: Vec<_> = rules.map(|change| change["rule"].clone()).collect();
    assert_eq!(rules, ["argument-renamed"]);
    // The report says so.
    let markdown = server
        .get(path)
        .header("accept", "text/markdown")
        .send()
        .await;
    let text = markdown.text();
    assert!(
        text.contains("\n**Further revisions**\n- against `p 2.14.0`: **fail**"),
        "{text}"
    );
    // So do the others, whoever reads them.
    for (accept, told) in [
        ("text/plain", "against p 2.14.0: fail, "),
        ("application/xml", "<testcase name=\"against p 2.14.0\""),
        ("application/sarif+json", "\"against p 2.14.0: fail, "),
    ] {
        let answer = server.get(path).header("accept", accept).send().await;
        assert!(answer.text().contains(told), "{}", answer.text());
    }
    let path = "/v1/projects/p/compare/...pr-1?against=latest";
    let answer = server.get(path).send().await.ok();
    assert_eq!(answer["base"]["label"], "2.15.0");
}

#[tokio::test]
async fn two_schemas() {
    let server = Server::new().await;
    let ask = |old: &str, new: &str| {
        let body = json!({"old": old, "new": new});
        let server = &server;
        async move { server.post("/v1/schemas/compare").json(&body).send().await }
    };
    let answer = ask(
        "f(Tensor self, int dim) -> Tensor",
        "f(Tensor self) -> Tensor",
    )
    .await
    .ok();
    assert_eq!(answer["backward_compatible"], false);
    assert_eq!(answer["forward_compatible"], true);
    assert_eq!(answer["forward_reason"], "");
    assert_eq!(answer["changes"][0]["rule"], "argument-removed");
    let same = ask("f(t x) -> t", "f(t x) -> t").await.ok();
    assert_eq!(same["changes"], json!([]));
    let refused = ask("f(Tensor self -> Tensor", "f(Foo x) -> Tensor").await;
    let problem = refused.problem(422, "unreadable-schema");
    let members = problem["errors"].as_array().unwrap().iter();
    let members: Vec<_> = members.map(|error| error["parameter"].clone()).collect();
    assert_eq!(members, ["old", "new"]);
}

/// What the API calls a change, `explain` knows.
#[tokio::test]
async fn rules_of_changes_are_served() {
    let server = Server::small().await;
    let next = SMALL.replace("Tensor other", "Tensor second");
    server.ingest("p", "label=2.10.0", &next).await;
    let path = "/v1/projects/p/compare/2.9.0...2.10.0";
    let comparison = server.get(path).send().await.ok();
    let changes = comparison["changes"].as_array().unwrap();
    assert!(!changes.is_empty());
    // The summary counts what is listed.
    for (level, count) in comparison["summary"].as_object().unwrap() {
        let of_level = |change: &&Value| change["level"] == *level.replace('_', "-");
        let listed = changes.iter().filter(of_level).count();
        assert_eq!(*count, json!(listed), "{level}");
    }
    for change in changes {
        let rule = change["rule"].as_str().unwrap();
        let page = server.get(&format!("/v1/rules/{rule}")).send().await.ok();
        assert_eq!(page["id"], rule);
    }
}

/// An end is kept as it was written and compared as a version, also where nobody knows it yet.
#[tokio::test]
async fn an_exception_may_end_with_a_release_to_come() {
    let server = server().await;
    let path = "/v1/projects/p/exceptions";
    for end in ["2.16", "3.0", "2.15.1"] {
        let new = json!({
            "operator": "can_cast", "rule": "argument-renamed", "reason": "a keyword",
            "until": end
        });
        let made = server.post(path).json(&new).send().await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.value();
        assert_eq!(made["until"], end);
        assert_eq!(made["until_release"], end);
        let comparison = server.get(RANGE).send().await.ok();
        assert_eq!(comparison["summary"]["excepted"], 1, "{end}");
        // It ends with the head's own line of releases, or later.
        let conclusion = if end == "2.15.1" { "warn" } else { "pass" };
        assert_eq!(comparison["conclusion"], conclusion, "{end}");
        let one = format!("{path}/{}", made["id"].as_str().unwrap());
        for (until, status) in [
            ("2001-01-31", 422),
            ("2.9", 422),
            ("", 422),
            ("2099-01-31", 200),
        ] {
            let extended = server
                .patch(&one)
                .json(&json!({"until": until}))
                .send()
                .await;
            assert_eq!(extended.status, status, "{}", extended.text());
        }
        let extended = server.get(&one).send().await.ok();
        assert_eq!(extended["until"], "2099-01-31");
        assert_eq!(extended["until_release"], Value::Null);
        assert_eq!(extended["reason"], made["reason"]);
        assert_eq!(server.delete(&one).send().await.status, 204);
    }
    let new = json!({
        "operator": "can_cast", "rule": "argument-renamed", "reason": "a keyword",
        "until_release": "2.16"
    });
    assert_eq!(server.post(path).json(&new).send().await.status, 201);
    // A head that is judged by the newest rules but is of a later line is past the end.
    let later = OLD.replace("ScalarType from,", "ScalarType source,");
    server.ingest("p", "label=2.17.0", &later).await;
    let range = "/v1/projects/p/compare/2.14.0...2.17.0";
    let comparison = server.get(range).send().await.ok();
    assert_eq!(comparison["summary"]["excepted"], 0);
    assert_eq!(comparison["conclusion"], "fail");
}

#[tokio::test]
async fn an_exception_that_can_mean_nothing_is_refused() {
    let server = server().await;
    let path = "/v1/projects/p/exceptions";
    let new = |members: Value| {
        let mut new = json!({
            "operator": "can_cast", "rule": "argument-renamed", "reason": "a keyword"
        });
        let own = new.as_object_mut().unwrap();
        own.extend(members.as_object().unwrap().clone());
        new
    };
    let long = "*a".repeat(128);
    for (members, why) in [
        (json!({"operator": "can_cats"}), "did you mean `can_cast`"),
        (
            json!({"operator": "aten::nothing_like_it"}),
            "no revision of the project",
        ),
        (json!({"until_date": "2001-01-31"}), "is in the past"),
        (json!({"until_release": "2.9"}), "is in the past"),
        (json!({"until": "2.9"}), "is in the past"),
        (
            json!({"until": "2.16", "until_date": "2099-01-31"}),
            "set only one",
        ),
        (json!({"operator": long}), "at most 127 characters"),
        (json!({"argument": long}), "at most 127 characters"),
    ] {
        let answer = server.post(path).json(&new(members)).send().await;
        let problem = answer.problem(422, "invalid-policy");
        assert!(problem.to_string().contains(why), "{problem}");
    }
    // A pattern may wait for operators, and one that is gone was there once.
    let gone = NEW.replace("- func: keep(Tensor self) -> Tensor\n", "");
    server.ingest("p", "label=2.15.1", &gone).await;
    for operator in ["keep", "wait_*"] {
        let answer = server.post(path).json(&new(json!({"operator": operator})));
        assert_eq!(answer.send().await.status, 201, "{operator}");
    }
}

/// The change counts again under its own level; that its exception has ended is only told.
#[tokio::test]
async fn an_ended_exception_counts_once() {
    let server = server().await;
    let body = json!({
        "base": files(OLD), "head": files(NEW),
        "exceptions": [{
            "operator": "can_cast", "rule": "argument-renamed", "reason": "a keyword",
            "until_date": "2001-01-31"
        }]
    });
    let comparison = server.post("/v1/compare").json(&body).send().await.ok();
    assert_eq!(comparison["summary"]["breaking"], 1);
    assert_eq!(comparison["conclusion"], "fail");
    let changes = comparison["changes"].as_array().unwrap();
    let ended = changes.iter().find(|c| c["rule"] == "allow-list-expired");
    assert_eq!(ended.unwrap()["level"], "info");
}

#[tokio::test]
async fn policies_and_lists_have_bounds() {
    let server = server().await;
    let exception = json!({"operator": "f*", "rule": "*", "reason": "r"});
    let open = json!({"operator": "*", "rule": "*", "reason": "r"});
    let many = |count: usize| Value::Array(vec![exception.clone(); count]);
    for (member, value, why) in [
        ("exceptions", many(101), "at most 100 can have a pattern"),
        ("exceptions", many(1001), "at most 1000"),
        (
            "exceptions",
            json!([open]),
            "matches operators of every base name",
        ),
        (
            "policy",
            json!({"tags": (0..201).map(|i| (format!("t{i}"), json!("warn"))).collect::<serde_json::Map<_, _>>()}),
            "at most 200 are allowed",
        ),
    ] {
        let mut body = json!({"base": files(OLD), "head": files(NEW)});
        body[member] = value;
        let answer = server.post("/v1/compare").json(&body).send().await;
        let problem = answer.problem(422, "invalid-policy");
        assert!(problem.to_string().contains(why), "{problem}");
    }
    let long = json!({"policy": {"namespaces": {"n".repeat(17_000): "warn"}}});
    let answer = server.patch("/v1/projects/p").json(&long).send().await;
    let problem = answer.problem(422, "invalid-policy");
    assert!(
        problem.to_string().contains("the limit is 16384"),
        "{problem}"
    );
    let keys = json!({"registrations": vec!["CPU"; 2_001]});
    let answer = server.post("/v1/dispatch").json(&keys).send().await;
    assert!(answer.text().contains("at most 2000"), "{}", answer.text());
    assert!(answer.status.is_client_error());
    let keys = json!({"registrations": vec!["CPU"; 2_000]});
    server.post("/v1/dispatch").json(&keys).send().await.ok();
}

/// All labels are held against, each by itself.
#[tokio::test]
async fn a_head_is_held_against_many_labels() {
    let server = Server::new().await;
    server.project("p").await;
    for patch in 0..30 {
        let text = format!("{OLD}- func: f{patch}(Tensor self) -> Tensor\n");
        server
            .ingest("p", &format!("label=2.14.{patch}"), &text)
            .await;
    }
    server.ingest("p", "label=2.15.0", NEW).await;
    let range = "/v1/projects/p/compare/2.14.0...2.15.0?against=all";
    let comparison = server.get(range).send().await.ok();
    let against = comparison["against"].as_array().unwrap();
    assert_eq!(against.len(), 29);
    for each in against {
        assert_eq!(each["conclusion"], "fail");
        assert_eq!(each["changes"][0]["rule"], "operator-removed");
    }
}

/// Findings that the base does not have are listed, and new errors fail whatever the policy says.
#[tokio::test]
async fn findings_that_the_head_introduces() {
    let server = Server::new().await;
    let clean = "- func: scale(Tensor self) -> Tensor\n";
    let faulty = format!("{clean}- func: mend.out(Tensor self, *, Tensor(a!) out) -> Tensor\n");
    let ask = async |base: &str, head: &str| {
        let body = json!({
            "base": files(base),
            "head": files(head),
            "policy": {"fail_on": "never"},
        });
        server.post("/v1/compare").json(&body).send().await.ok()
    };
    let worse = ask(clean, &faulty).await;
    assert_eq!(worse["conclusion"], "fail");
    assert_eq!(worse["findings"]["new"][0]["severity"], "error");
    assert_eq!(worse["findings"]["new"][0]["operator"], "mend.out");
    assert_eq!(worse["findings"]["gone"], 0);
    let errors = worse["findings"]["head_errors"].as_u64().unwrap();
    assert_eq!(
        errors as usize,
        worse["head_findings"].as_array().unwrap().len()
    );
    let moved = ask(&faulty, &format!("# moved\n\n{faulty}")).await;
    assert_ne!(moved["conclusion"], "fail");
    assert_eq!(moved["findings"]["new"], json!([]));
    assert_eq!(moved["findings"]["head_errors"], errors);
    let better = ask(&faulty, clean).await;
    assert!(better["findings"]["gone"].as_u64().unwrap() >= errors);
}

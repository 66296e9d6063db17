//! `opatlas comment` against a double of the site's API, and `action.yml` with it.

mod action;
mod double;

use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder::write;
use double::{Double, Fault, HEAD, TOKEN};
use tempfile::TempDir;

const OLD: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const NEW: &str = "- func: can_cast(ScalarType from_, ScalarType to) -> bool\n";
const OTHER: &str = "0000000000000000000000000000000000000000";

/// A folder with files, and the site.
struct Place {
    folder: TempDir,
    site: Double,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            site: Double::start(),
        };
        place.write("old.yaml", OLD);
        place.write("new.yaml", NEW);
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        write(self.path(), name, text);
    }

    fn opatlas(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opatlas"));
        // The tests themselves may run in a job of the site.
        for name in ["GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_TOKEN"] {
            command.env_remove(name);
        }
        let command = command.args(arguments).current_dir(self.path());
        let command = command.env("GITHUB_API_URL", &self.site.url);
        command.env("GITHUB_TOKEN", TOKEN).output().unwrap()
    }

    /// Comments on pull request 7: the exit code, and what was said.
    fn comment(&self, arguments: &[&str]) -> (i32, String) {
        let here = ["comment", "--repo", "octo/torch"];
        let output = self.opatlas(&[&here, arguments].concat());
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        (output.status.code().unwrap(), said)
    }

    fn compare(&self, head: &str) -> (i32, String) {
        self.comment(&["old.yaml", head, "--pr", "7"])
    }
}

/// Many renamed arguments: their report needs several comments.
fn many(suffix: &str) -> String {
    let entry = |i: usize| {
        let kind = ["int", "float", "bool", "Scalar", "Tensor"][i % 5];
        format!("- func: operator_{i}({kind} argument_{suffix}{i}, int dim) -> Tensor\n")
    };
    (0..400).map(entry).collect()
}

#[test]
fn a_comment_is_posted_once_and_then_edited() {
    let place = Place::new();
    let (code, said) = place.compare("new.yaml");
    assert_eq!(
        (code, &*said),
        (1, "comments of pull request 7: 1 posted\n")
    );
    let arguments = ["compare", "old.yaml", "new.yaml", "--format", "markdown"];
    let report = String::from_utf8(place.opatlas(&arguments).stdout).unwrap();
    let expected = format!("<!-- opatlas operators 1 -->\n{report}");
    assert_eq!(place.site.bodies(), [&*expected]);
    assert_eq!(
        place.site.asked(),
        [
            "GET /repos/octo/torch/issues/7/comments",
            "POST /repos/octo/torch/issues/7/comments"
        ]
    );
    // The same report notifies nobody.
    let (_, said) = place.compare("new.yaml");
    assert!(said.contains("1 unchanged"), "{said}");
    assert_eq!(
        place.site.asked(),
        ["GET /repos/octo/torch/issues/7/comments"]
    );
    // Another report takes its place. Without changes that is one line.
    let (code, said) = place.compare("old.yaml");
    assert_eq!(code, 0);
    assert!(said.contains("1 updated"), "{said}");
    assert_eq!(
        place.site.bodies(),
        ["<!-- opatlas operators 1 -->\n### **Pass:** no changes (old.yaml → old.yaml)\n"]
    );
}

#[test]
fn parts_come_and_go() {
    let place = Place::new();
    place.write("old.yaml", &many("of_an_old_name_"));
    place.write("many.yaml", &many("of_another_name_"));
    let few =
        |max: &str| place.comment(&["old.yaml", "many.yaml", "--pr", "7", "--max-chars", max]);
    let (code, said) = few("6000");
    assert_eq!(code, 1, "{said}");
    let parts = place.site.bodies();
    assert!(parts.len() > 1, "{said}");
    for (i, part) in parts.iter().enumerate() {
        let begins = match i {
            0 => "### **Blocked:** ".to_owned(),
            _ => format!("### Operator schemas, part {} of {} (", i + 1, parts.len()),
        };
        let mark = format!("<!-- opatlas operators {} -->\n{begins}", i + 1);
        assert!(part.starts_with(&mark), "{part}");
        assert!(part.chars().count() <= 6_000 + mark.len());
    }
    let (_, said) = few("3000");
    assert!(place.site.bodies().len() > parts.len(), "{said}");
    // The site shows them in pages, and the last one is read too.
    place.site.state().page = 3;
    let (_, said) = few("6000");
    assert!(said.contains("deleted"), "{said}");
    assert_eq!(place.site.bodies(), parts);
    place.compare("old.yaml");
    assert_eq!(place.site.bodies().len(), 1);
}

#[test]
fn comments_of_others_are_left_alone() {
    let place = Place::new();
    let mark = "<!-- opatlas operators 1 -->\nmine";
    let foreign = [
        ("somebody", "User", mark),
        (
            "somebody",
            "User",
            "I like it\n<!-- opatlas operators 1 -->",
        ),
        (
            "other[bot]",
            "Bot",
            "<!-- opatlas others 1 -->\nanother comment",
        ),
    ];
    for (login, kind, body) in foreign {
        place.site.add(login, kind, body);
    }
    place.compare("new.yaml");
    place.compare("old.yaml");
    let bodies = place.site.bodies();
    assert_eq!(bodies.len(), 4);
    for (i, (_, _, body)) in foreign.iter().enumerate() {
        assert_eq!(bodies[i], *body);
    }
    // What two runs at the same time have posted twice becomes one.
    place.site.add("github-actions[bot]", "Bot", mark);
    place.compare("new.yaml");
    assert_eq!(place.site.bodies().len(), 4);
}

/// A token of a person finds the comments of that person.
#[test]
fn an_account_knows_its_own_comments() {
    let place = Place::new();
    place.site.state().author = ("robot", "User");
    place
        .site
        .add("somebody", "User", "<!-- opatlas operators 1 -->\n");
    place.compare("new.yaml");
    let (_, said) = place.compare("old.yaml");
    assert!(said.contains("1 updated"), "{said}");
    assert_eq!(place.site.bodies().len(), 2);
}

#[test]
fn limits_are_waited_for() {
    let place = Place::new();
    let limit = |header| {
        Fault::Status(
            403,
            "You have exceeded a secondary rate limit",
            Some(header),
        )
    };
    place.site.state().faults.extend([
        ("GET", Fault::Status(429, "", Some(("retry-after", "1")))),
        ("POST", limit(("retry-after", "1"))),
    ]);
    let (code, said) = place.compare("new.yaml");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("1 posted"), "{said}");
    assert_eq!(place.site.bodies().len(), 1);
    // A limit that lasts too long is an error that says so, before anything waits.
    place
        .site
        .state()
        .faults
        .push_back(("GET", limit(("retry-after", "3600"))));
    let (code, said) = place.compare("new.yaml");
    assert_eq!(code, 2);
    assert!(
        said.contains("rate limit") && said.contains("3600 s"),
        "{said}"
    );
}

#[test]
fn a_failing_site_is_asked_again() {
    let place = Place::new();
    let bad = Fault::Status(502, "Server Error", None);
    place
        .site
        .state()
        .faults
        .extend([("GET", bad), ("POST", bad), ("GET", Fault::Silence)]);
    let (code, said) = place.compare("new.yaml");
    assert_eq!(code, 1, "{said}");
    assert_eq!(place.site.bodies().len(), 1);
    place.site.state().faults.push_back(("PATCH", bad));
    let (_, said) = place.compare("old.yaml");
    assert!(said.contains("1 updated"), "{said}");
}

/// A site that failed may have posted the comment.
#[test]
fn a_failure_after_the_fact_posts_no_second_comment() {
    let place = Place::new();
    place
        .site
        .state()
        .faults
        .push_back(("POST", Fault::DoneThenBad));
    let (code, said) = place.compare("new.yaml");
    assert_eq!(code, 1, "{said}");
    assert_eq!(place.site.bodies().len(), 1);
}

#[test]
fn a_site_that_only_fails_is_an_error() {
    let place = Place::new();
    let bad = Fault::Status(503, "", Some(("retry-after", "0")));
    place.site.state().faults.extend([("GET", bad); 9]);
    let (code, said) = place.compare("new.yaml");
    assert_eq!(code, 2);
    assert!(said.contains("failed 5 times: status 503"), "{said}");
    assert_eq!(place.site.asked().len(), 5);
}

#[test]
fn refusals_say_what_to_do() {
    let place = Place::new();
    let refused = |arguments: &[&str], why: &str| {
        let sides = ["old.yaml", "new.yaml"];
        let (code, said) = place.comment(&[&sides, arguments].concat());
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(why), "{said}");
    };
    refused(
        &["--pr", "7", "--github-token", "wrong"],
        "rejects the token",
    );
    refused(&["--pr", "8"], "octo/torch has no pull request 8");
    refused(&[], "pass its number with --pr");
    refused(&["--pr", "0"], "0 is not in");
    refused(&["--pr", "7", "--max-chars", "100"], "3000 to 65400");
    place.site.state().may_write = false;
    refused(&["--pr", "7"], "pull-requests: write");
    assert!(place.site.bodies().is_empty());
    let here = [
        "comment", "old.yaml", "new.yaml", "--repo", "octo", "--pr", "7",
    ];
    let output = place.opatlas(&here);
    assert!(String::from_utf8_lossy(&output.stderr).contains("OWNER/NAME"));
}

/// The folder that a job without rights leaves.
fn report(place: &Place, number: &str, head: &str) {
    let arguments = [
        "compare", "old.yaml", "new.yaml", "--format", "markdown", "--out",
    ];
    let output = place.opatlas(&[&arguments[..], &["report/parts/"]].concat());
    assert_eq!(output.status.code(), Some(1));
    place.write("report/number", number);
    place.write("report/head", head);
}

#[test]
fn a_report_of_a_fork_is_posted() {
    let place = Place::new();
    report(&place, "7\n", HEAD);
    let (code, said) = place.comment(&["--from", "report", "--head-sha", HEAD]);
    assert_eq!(
        (code, &*said),
        (0, "comments of pull request 7: 1 posted\n")
    );
    let from_report = place.site.bodies();
    // It is the comment that the comparison itself would have posted.
    place.site.state().comments.clear();
    place.compare("new.yaml");
    assert_eq!(place.site.bodies(), from_report);
}

/// Nothing that the folder says moves the comment to another pull request or commit.
#[test]
fn a_report_is_not_trusted() {
    let place = Place::new();
    report(&place, "7", HEAD);
    let from = |more: &[&str]| place.comment(&[&["--from", "report"], more].concat());
    let (code, said) = from(&[]);
    assert_eq!(code, 2);
    assert!(said.contains("--head-sha"), "{said}");
    let (code, said) = from(&["--head-sha", OTHER]);
    assert_eq!(code, 2);
    assert!(said.contains("is about commit"), "{said}");
    let (code, said) = from(&["--head-sha", HEAD, "--pr", "6"]);
    assert_eq!(code, 2);
    assert!(said.contains("is about pull request 7, not 6"), "{said}");
    // A number of another pull request has another head.
    place.write("report/number", "8");
    assert_eq!(from(&["--head-sha", HEAD]).0, 2);
    report(&place, "7", OTHER);
    let (code, said) = from(&["--head-sha", OTHER]);
    assert_eq!(code, 0);
    assert!(said.contains("its own run will comment"), "{said}");
    place.write("report/head", HEAD);
    place.write("report/parts/part-2.md", "Click here");
    let (code, said) = from(&["--head-sha", HEAD]);
    assert_eq!(code, 2);
    assert!(said.contains("does not begin as a report"), "{said}");
    assert!(place.site.bodies().is_empty());
}

/// A job of an older commit that ends late does not overwrite a newer comment.
#[test]
fn a_late_run_says_nothing() {
    let place = Place::new();
    let sides = ["old.yaml", "new.yaml", "--pr", "7", "--head-sha", OTHER];
    let (code, said) = place.comment(&sides);
    assert_eq!(code, 1);
    assert!(said.contains("its own run will comment"), "{said}");
    assert!(place.site.bodies().is_empty());
}

/// In a job, the event names the pull request and its commit.
#[test]
fn the_event_of_the_job_is_enough() {
    let place = Place::new();
    let event = serde_json::json!({"pull_request": {"number": 7, "head": {"sha": HEAD}}});
    place.write("event.json", &event.to_string());
    let (code, said) = place.comment(&["old.yaml", "new.yaml", "--event", "event.json"]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(place.site.bodies().len(), 1);
}

//! `action.yml` as a runner executes it: its expressions, its scripts in order, the files that a runner
//! gives to steps, and the site's double behind them. Steps that use other actions are left out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::comment::double::{Double, TOKEN};
use crate::comment::{NEW, OLD};
use crate::common::git::git;

const ACTION: &str = include_str!("../../action.yml");
const CHAPTER: &str = concat!(
    include_str!("../../docs/pull-requests.md"),
    include_str!("../../docs/pull-request-reference.md"),
);
const FILE: &str = "aten/src/ATen/native/native_functions.yaml";

fn action() -> Value {
    serde_yaml_ng::from_str(ACTION).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A repository with a pull request, the runner of its jobs, and the site.
struct Runner {
    folder: tempfile::TempDir,
    site: Double,
    base: String,
    head: String,
}

/// What a run of the action did.
#[derive(Debug)]
struct Ran {
    /// The names of the steps that ran, those of other actions included.
    steps: Vec<String>,
    /// The exit code of the step that failed, or 0.
    code: i32,
    said: String,
    outputs: BTreeMap<String, String>,
}

impl Runner {
    /// A pull request that makes `new` of `old`, while the branch itself moves on.
    fn new(old: &str, new: &str, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let write = |name: &str, text: &str| {
            let file = path.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write(FILE, old);
        write("opatlas.toml", config);
        git(&path, &["init", "-q", "-b", "main"]);
        git(&path, &["add", "."]);
        git(&path, &["commit", "-qm", "start"]);
        git(&path, &["checkout", "-qb", "topic"]);
        write(FILE, new);
        git(&path, &["commit", "-qam", "change", "--allow-empty"]);
        let head = git(&path, &["rev-parse", "HEAD"]);
        git(&path, &["checkout", "-q", "main"]);
        write(
            FILE,
            &format!("{old}- func: unrelated(Tensor self) -> Tensor\n"),
        );
        git(&path, &["commit", "-qam", "meanwhile"]);
        let base = git(&path, &["rev-parse", "HEAD"]);
        git(&path, &["checkout", "-q", "--detach", &head]);
        let site = Double::start();
        site.state().head.clone_from(&head);
        Self {
            folder,
            site,
            base,
            head,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The event of the pull request, from a branch of the repository or from a fork.
    fn pull(&self, from: &str) -> Value {
        serde_json::json!({"pull_request": {
            "number": 7,
            "base": {"sha": self.base},
            "head": {"sha": self.head, "repo": {"full_name": from}},
        }})
    }

    /// Runs the action on an event with these inputs.
    fn run(&self, event: &Value, given: &[(&str, &str)]) -> Ran {
        let action = action();
        let mut inputs = BTreeMap::new();
        for (name, input) in action["inputs"].as_object().unwrap() {
            inputs.insert(format!("inputs.{name}"), text(&input["default"]).to_owned());
        }
        let program = [("opatlas", env!("CARGO_BIN_EXE_opatlas"))];
        for (name, value) in program.iter().chain(given) {
            let known = inputs.insert(format!("inputs.{name}"), (*value).to_owned());
            assert!(known.is_some(), "{name} is not an input");
        }
        std::fs::write(self.path("event.json"), event.to_string()).unwrap();
        let mut job = Job {
            runner: self,
            event,
            values: inputs,
            path: std::env::var("PATH").unwrap(),
        };
        let mut ran = Ran {
            steps: Vec::new(),
            code: 0,
            said: String::new(),
            outputs: BTreeMap::new(),
        };
        for step in action["runs"]["steps"].as_array().unwrap() {
            if job.holds(text(&step["if"])) {
                ran.steps.push(text(&step["name"]).to_owned());
                ran.code = job.step(step, &mut ran.said);
            }
            if ran.code != 0 {
                break;
            }
        }
        for (name, output) in action["outputs"].as_object().unwrap() {
            ran.outputs
                .insert(name.clone(), job.expand(text(&output["value"])));
        }
        ran
    }
}

/// A run of the action.
struct Job<'a> {
    runner: &'a Runner,
    event: &'a Value,
    /// Inputs and outputs, by their names in expressions.
    values: BTreeMap<String, String>,
    path: String,
}

impl Job<'_> {
    /// The value of an expression: a name, or a text in quotes.
    fn value(&self, expression: &str) -> String {
        let expression = expression.trim();
        if let Some(quoted) = expression.strip_prefix('\'') {
            return quoted.strip_suffix('\'').unwrap().to_owned();
        }
        if let Some(path) = expression.strip_prefix("github.event.") {
            let found = path.split('.').fold(self.event, |value, name| &value[name]);
            return match found {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
        }
        match expression {
            "github.repository" => "octo/torch".to_owned(),
            "github.token" => TOKEN.to_owned(),
            "github.action_path" => env!("CARGO_MANIFEST_DIR").to_owned(),
            "runner.temp" => self.runner.path("temp").display().to_string(),
            name if name.starts_with("steps.") => {
                self.values.get(name).cloned().unwrap_or_default()
            }
            name => self.expand(&self.values[name]),
        }
    }

    fn expand(&self, text: &str) -> String {
        let mut pieces = text.split("${{");
        let mut out = pieces.next().unwrap().to_owned();
        for piece in pieces {
            let (expression, rest) = piece.split_once("}}").unwrap();
            out.push_str(&self.value(expression));
            out.push_str(rest);
        }
        out
    }

    /// Whether a condition of comparisons with `&&` and `||` holds.
    fn holds(&self, condition: &str) -> bool {
        let holds = |comparison: &str| match comparison.split_once("!=") {
            Some((left, right)) => self.value(left) != self.value(right),
            None => {
                let (left, right) = comparison.split_once("==").unwrap();
                self.value(left) == self.value(right)
            }
        };
        condition.is_empty() || condition.split("||").any(|all| all.split("&&").all(holds))
    }

    /// Runs the script of a step; its exit code.
    fn step(&mut self, step: &Value, said: &mut String) -> i32 {
        let script = text(&step["run"]);
        if script.is_empty() {
            assert!(text(&step["uses"]).contains('@'));
            return 0;
        }
        assert!(
            !script.contains("${{"),
            "a script takes no text of others: {script}"
        );
        assert_eq!(step["shell"], "bash");
        let place = |name: &str| self.runner.path(name);
        std::fs::create_dir_all(place("temp")).unwrap();
        for name in ["output", "path"] {
            std::fs::write(place(name), "").unwrap();
        }
        let mut command = Command::new("bash");
        let options = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"];
        command.args(options).arg(script).current_dir(place("work"));
        command
            .env_remove("GITHUB_TOKEN")
            .env("NO_COLOR", "1")
            .env("PATH", &self.path);
        command.env("GITHUB_API_URL", &self.runner.site.url);
        command.env("GITHUB_REPOSITORY", "octo/torch");
        command.env("GITHUB_EVENT_PATH", place("event.json"));
        command
            .env("GITHUB_OUTPUT", place("output"))
            .env("GITHUB_PATH", place("path"));
        command
            .env("GITHUB_STEP_SUMMARY", place("summary.md"))
            .env("RUNNER_TEMP", place("temp"));
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            command.env(name, self.expand(text(value)));
        }
        let output = command.output().unwrap();
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        for line in self.runner.read("output").lines() {
            let (name, value) = line.split_once('=').unwrap();
            let id = text(&step["id"]);
            self.values
                .insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
        }
        for folder in self.runner.read("path").lines() {
            self.path = format!("{folder}:{}", self.path);
        }
        output.status.code().unwrap()
    }
}

#[test]
fn a_pull_request_is_commented_and_blocked() {
    let runner = Runner::new(OLD, NEW, "");
    let ran = runner.run(&runner.pull("octo/torch"), &[]);
    assert_eq!(ran.code, 1, "{}", ran.said);
    assert_eq!(
        ran.steps,
        [
            "Install the program",
            "Compare",
            "Check",
            "Comment",
            "Upload the results",
            "Verdict"
        ]
    );
    assert_eq!(ran.outputs["conclusion"], "fail");
    assert!(ran.said.contains("::error "), "{}", ran.said);
    let bodies = runner.site.bodies();
    assert_eq!(bodies.len(), 1);
    let report = bodies[0].split_once('\n').unwrap().1;
    // Only the pull request's own change: not what the branch has since.
    assert!(
        report.starts_with("### **Blocked:** ") && report.contains(": 1 breaking change. "),
        "{report}"
    );
    assert_eq!(runner.read("summary.md").trim_end(), report.trim_end());
    let sarif: Value =
        serde_json::from_str(&runner.read("temp/opatlas-report/operators.sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], FILE);
    assert_eq!(place["region"]["startLine"], 1);
    assert!(text(&result["partialFingerprints"]["primaryLocationLineHash"]).ends_with(":1"));
    // The next push edits the comment.
    let ran = runner.run(&runner.pull("octo/torch"), &[("profile", "cpp")]);
    assert_eq!(
        (ran.code, &*ran.outputs["conclusion"]),
        (0, "pass"),
        "{}",
        ran.said
    );
    assert_eq!(runner.site.bodies().len(), 1);
}

#[test]
fn what_is_accepted_or_unchanged_passes() {
    let exception = "[[exception]]\noperator = \"can_cast\"\nrule = \"argument-renamed\"\n\
                     reason = \"a keyword\"\n";
    for (new, config) in [(NEW, exception), (&*format!("{OLD}# more\n"), "")] {
        let runner = Runner::new(OLD, new, config);
        let ran = runner.run(&runner.pull("octo/torch"), &[("comment", "false")]);
        assert_eq!(ran.code, 0, "{}", ran.said);
        assert!(!ran.steps.contains(&"Comment".to_owned()));
        assert!(runner.site.asked().is_empty());
    }
}

/// The workflow of the fork compares without rights, and the one on `workflow_run` comments.
#[test]
fn a_fork_is_commented_by_a_second_workflow() {
    let runner = Runner::new(OLD, NEW, "");
    runner.site.state().may_write = false;
    let ran = runner.run(&runner.pull("stranger/torch"), &[]);
    assert_eq!(ran.code, 1, "{}", ran.said);
    assert_eq!(
        ran.steps,
        [
            "Install the program",
            "Compare",
            "Check",
            "Keep the report of a fork",
            "Verdict"
        ]
    );
    assert!(runner.site.asked().is_empty());
    runner.site.state().may_write = true;
    let report = ran.outputs["report"].clone();
    let run =
        serde_json::json!({"workflow_run": {"event": "pull_request", "head_sha": runner.head}});
    let ran = runner.run(&run, &[("from", &report)]);
    assert_eq!(ran.code, 0, "{}", ran.said);
    assert_eq!(ran.steps, ["Install the program", "Comment"]);
    assert_eq!(runner.site.bodies().len(), 1);
    // The report of another run does not get through.
    let run = serde_json::json!({"workflow_run": {"head_sha": runner.base}});
    assert_eq!(runner.run(&run, &[("from", &report)]).code, 2);
}

#[test]
fn another_event_is_refused() {
    let runner = Runner::new(OLD, NEW, "");
    let ran = runner.run(&serde_json::json!({"ref": "refs/heads/main"}), &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.said.contains("needs the event pull_request"),
        "{}",
        ran.said
    );
}

/// Whoever builds the program caches it by its sources.
#[test]
fn the_program_is_known_by_its_sources() {
    let runner = Runner::new(OLD, NEW, "");
    let mut job = Job {
        runner: &runner,
        event: &Value::Null,
        values: BTreeMap::new(),
        path: std::env::var("PATH").unwrap(),
    };
    let action = action();
    let step = &action["runs"]["steps"][0];
    let mut said = String::new();
    assert_eq!(job.step(step, &mut said), 0, "{said}");
    assert_eq!(job.values["steps.program.outputs.key"].len(), 32);
}

/// Every option in the scripts is one of the commands in them.
#[test]
fn the_commands_of_the_action_exist() {
    let action = action();
    let mut seen = 0;
    for step in action["runs"]["steps"].as_array().unwrap() {
        let script = text(&step["run"]);
        let mut words = script.split_whitespace();
        let mut help = String::new();
        while let Some(word) = words.next() {
            if word == "opatlas" {
                let command = words.next().unwrap();
                let program = Command::new(env!("CARGO_BIN_EXE_opatlas"))
                    .args(["help", command])
                    .output();
                let output = program.unwrap();
                assert!(output.status.success(), "{command}");
                help.push_str(&String::from_utf8(output.stdout).unwrap());
            }
        }
        if help.is_empty() {
            continue;
        }
        for option in script.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            if option.starts_with("--") {
                assert!(
                    help.contains(&format!("{option} ")),
                    "{option} in {}",
                    step["name"]
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 10);
}

/// The workflows of the chapter are YAML, use the action with inputs that it has, and the first one
/// is ten lines long.
#[test]
fn the_workflows_of_the_chapter_use_the_action() {
    let inputs = &action()["inputs"];
    let blocks = CHAPTER.split("```yaml\n").skip(1);
    let blocks: Vec<&str> = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let is_use = |line: &&str| line.trim_start().starts_with("- uses: OWNER/opatlas@");
    let mut uses = 0;
    for block in &blocks {
        let workflow: Value = serde_yaml_ng::from_str(block).unwrap();
        for job in workflow["jobs"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, job)| job)
        {
            for step in job["steps"].as_array().unwrap() {
                if !text(&step["uses"]).starts_with("OWNER/opatlas@") {
                    continue;
                }
                uses += 1;
                for (input, _) in step["with"].as_object().into_iter().flatten() {
                    assert!(inputs[input].is_object(), "{input} is not an input");
                }
            }
        }
    }
    assert!(uses >= 2);
    let first = blocks
        .iter()
        .find(|block| block.lines().any(|line| is_use(&line)))
        .unwrap();
    assert!(first.lines().count() <= 10, "{first}");
    for input in inputs.as_object().unwrap().keys() {
        assert!(
            CHAPTER.contains(&format!("| `{input}` |")),
            "{input} is not documented"
        );
    }
}

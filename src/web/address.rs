//! The addresses of pages. `web/src/routes` has the same list; `tests/web/serving.spec.mjs` asks for each.

use percent_encoding::percent_decode_str;

/// A page of the web interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// A page that needs no data, or finds its own: its title.
    Program(&'static str),
    /// A rule.
    Rule(String),
    /// A topic.
    Topic(String),
    /// A page about all revisions of a project, with its title.
    Project(String, &'static str),
    /// The history of an operator.
    History(String, String),
    /// A comparison: the project and the two revisions, as `BASE...HEAD`.
    Comparison(String, String),
    /// A run of the probe: the project and the run.
    ProbeRun(String, String),
    /// A page about a revision.
    Revision(At, Part),
}

/// A revision of a project, as addresses name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The project.
    pub project: String,
    /// A label, a commit, a digest or `latest`.
    pub revision: String,
}

/// A part of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A page about all of it, with its title.
    Whole(&'static str),
    /// An operator.
    Operator(String),
    /// All overloads of a name.
    Name(String),
    /// A dispatch key, with the title of the tab.
    Key(String, &'static str),
    /// A file.
    File(String),
}

impl Page {
    /// The page at a path; `None` if there is none.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        let segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| percent_decode_str(segment).decode_utf8().map(Into::into))
            .collect::<Result<_, _>>()
            .ok()?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match *segments.as_slice() {
            [] | ["p"] => Some(Self::Program("")),
            [name] => program(name).map(Self::Program),
            ["rules", rule] => Some(Self::Rule(rule.into())),
            ["topics", topic] => Some(Self::Topic(topic.into())),
            ["p", project, "r", revision, ref rest @ ..] => {
                let at = At {
                    project: project.into(),
                    revision: revision.into(),
                };
                part(rest).map(|part| Self::Revision(at, part))
            }
            ["p", project, ref rest @ ..] => of_project(project, rest),
            _ => None,
        }
    }
}

fn program(name: &str) -> Option<&'static str> {
    Some(match name {
        "access" => "Access",
        "compare" => "Compare",
        "coverage" => "How coverage is counted",
        "docs" => "API",
        "rules" => "Rules",
        "topics" => "Topics",
        "validate" => "Validate",
        "why" => "Why",
        _ => return None,
    })
}

fn of_project(project: &str, rest: &[&str]) -> Option<Page> {
    let title = match *rest {
        [] | ["r"] => "",
        ["compare"] => "Compare",
        ["operators"] => "Operators",
        ["preflight"] => "Preflight",
        ["probe"] => "Probe runs",
        ["search"] => "Search",
        ["support"] => "Support",
        ["trends"] => "Trends",
        ["upgrade"] => "Upgrade",
        ["probe", run] => return Some(Page::ProbeRun(project.into(), run.into())),
        ["compare", range] => return Some(Page::Comparison(project.into(), range.into())),
        ["operators", operator, "history"] => {
            return Some(Page::History(project.into(), operator.into()));
        }
        ["operators", operator] => {
            let at = At {
                project: project.into(),
                revision: "latest".into(),
            };
            return Some(Page::Revision(at, Part::Operator(operator.into())));
        }
        _ => return None,
    };
    Some(Page::Project(project.into(), title))
}

fn part(rest: &[&str]) -> Option<Part> {
    Some(match *rest {
        [] | ["files"] => Part::Whole(""),
        ["backends" | "gaps"] => Part::Whole("Backends"),
        ["operators" | "names"] => Part::Whole("Operators"),
        ["operators", operator] => Part::Operator(operator.into()),
        ["names", name] => Part::Name(name.into()),
        ["files", file] => Part::File(file.into()),
        ["gaps", key] => Part::Key(key.into(), "Gaps"),
        ["backends", key] => Part::Key(key.into(), ""),
        ["backends", key, tab] => Part::Key(key.into(), tab_title(tab)?),
        _ => return None,
    })
}

fn tab_title(tab: &str) -> Option<&'static str> {
    Some(match tab {
        "badge" => "Badge",
        "gaps" => "Gaps",
        "history" => "History",
        "kernels" => "Kernels",
        "leverage" => "Leverage",
        "upgrade" => "Upgrade",
        _ => return None,
    })
}

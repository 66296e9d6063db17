//! A repository's own configuration names programs. Nothing runs them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::folder::write;
use crate::common::git::git;
use crate::untrusted::{NEW, OLD, opatlas, run, said};

const FILE: &str = "native_functions.yaml";
/// The trap is a program that leaves this file.
const CAUGHT: &str = "caught";

/// A repository with two commits, whose configuration can be made hostile.
struct Trap {
    folder: TempDir,
}

impl Trap {
    fn new() -> Self {
        let trap = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let repository = trap.repository();
        write(&repository, FILE, OLD);
        git(&repository, &["init", "-q", "-b", "main"]);
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "-qm", "one"]);
        git(&repository, &["checkout", "-qb", "topic"]);
        write(&repository, FILE, NEW);
        git(&repository, &["commit", "-qam", "two"]);
        let program = trap.program();
        let text = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", trap.caught().display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        trap
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn repository(&self) -> PathBuf {
        self.path().join("repository")
    }

    fn program(&self) -> PathBuf {
        self.path().join("trap")
    }

    fn caught(&self) -> PathBuf {
        self.path().join(CAUGHT)
    }

    /// Adds lines to the repository's configuration; `PROGRAM` stands for the trap.
    fn configure(&self, lines: &str) {
        let path = self.repository().join(".git/config");
        let program = self.program();
        let lines = lines.replace("PROGRAM", program.to_str().unwrap());
        let text = fs::read_to_string(&path).unwrap() + &lines;
        fs::write(path, text).unwrap();
    }

    /// Takes away the objects of the files, as a partial clone lacks them.
    fn lose_files(&self) {
        for commit in ["main", "topic"] {
            let id = git(
                &self.repository(),
                &["rev-parse", &format!("{commit}:{FILE}")],
            );
            let (folder, name) = id.split_at(2);
            let objects = self.repository().join(".git/objects");
            fs::remove_file(objects.join(folder).join(name)).unwrap();
        }
    }

    /// A partial clone whose remote is this.
    fn lure(&self, remote: &str) {
        self.configure(&format!(
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = far\n[remote \"far\"]\n\tpromisor = \
             true\n\tfetch = +refs/heads/*:refs/heads/*\n{remote}"
        ));
    }

    fn is_caught(&self) -> bool {
        self.caught().exists()
    }

    /// Runs every command that reads repositories, and gives what they said.
    fn ask(&self, path: Option<&Path>) -> String {
        let database = format!("sqlite://{}", self.path().join("o.db").display());
        let commands: [&[&str]; 3] = [
            &["compare", "git:main", "git:topic", "--path", FILE],
            &["check", FILE, "--base", "git:main", "--path", FILE],
            &[
                "import",
                "--git",
                ".",
                "--path",
                FILE,
                "--database",
                &database,
            ],
        ];
        let mut all = String::new();
        for arguments in commands {
            let mut command = opatlas(&self.repository());
            if let Some(path) = path {
                command.env("PATH", path);
            }
            all += &said(command.args(arguments).output().unwrap()).1;
        }
        self.open_in_editor();
        all
    }

    /// Opens the file in the language server and asks for code lenses.
    fn open_in_editor(&self) -> Value {
        let path = self.repository().join(FILE);
        let uri = format!("file://{}", path.display());
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": NEW});
        let messages = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "rootUri": null,
                   "capabilities": {}}}),
            json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/codeLens",
                   "params": {"textDocument": {"uri": uri}}}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}),
            json!({"jsonrpc": "2.0", "method": "exit"}),
        ];
        let texts = messages.iter().map(|message| {
            let body = message.to_string();
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        });
        let input = self.path().join("messages");
        fs::write(&input, texts.collect::<String>()).unwrap();
        let mut server = opatlas(&self.repository());
        server.arg("lsp").stdin(fs::File::open(input).unwrap());
        let output = server.output().unwrap().stdout;
        let output = String::from_utf8(output).unwrap();
        let bodies = output.split("Content-Length: ").filter_map(|part| {
            let body = part.split_once("\r\n\r\n")?.1;
            serde_json::from_str::<Value>(body).ok()
        });
        let answer = bodies.into_iter().find(|body| body["id"] == 2);
        answer.unwrap()["result"].clone()
    }
}

/// Remotes that run a program when an object is fetched.
const REMOTES: [&str; 5] = [
    "\turl = nowhere\n\tuploadpack = PROGRAM\n",
    "\turl = ssh://localhost/far\n[core]\n\tsshCommand = PROGRAM\n",
    "\turl = ext::PROGRAM\n[protocol \"ext\"]\n\tallow = always\n",
    "\turl = nowhere\n\tuploadpack = PROGRAM\n[protocol]\n\tallow = always\n[protocol \"file\"]\n\tallow = always\n",
    "\turl = git://localhost/far\n[core]\n\tgitProxy = PROGRAM\n[protocol \"git\"]\n\tallow = always\n",
];

#[test]
fn a_partial_clone_fetches_nothing() {
    for remote in REMOTES {
        let trap = Trap::new();
        trap.lure(remote);
        trap.lose_files();
        let said = trap.ask(None);
        assert!(!trap.is_caught(), "{remote}: {said}");
        assert!(said.contains("is a partial clone"), "{remote}: {said}");
        // The trap works: git by itself steps into it.
        let mut plain = Command::new("git");
        plain.arg("-C").arg(trap.repository());
        plain.args(["cat-file", "blob", &format!("main:{FILE}")]);
        plain.env_remove("GIT_NO_LAZY_FETCH");
        let _ = plain.stdin(Stdio::null()).output().unwrap();
        assert!(trap.is_caught(), "{remote} is no trap");
    }
}

/// An older git does not know `GIT_NO_LAZY_FETCH`.
#[test]
fn an_old_git_fetches_nothing_either() {
    for remote in REMOTES {
        let trap = Trap::new();
        trap.lure(remote);
        trap.lose_files();
        let programs = trap.path().join("programs");
        let path = std::env::var_os("PATH").unwrap();
        let real = std::env::split_paths(&path).map(|folder| folder.join("git"));
        let real = real.into_iter().find(|git| git.is_file()).unwrap();
        let text = format!(
            "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '{}' \"$@\"\n",
            real.display()
        );
        write(&programs, "git", text);
        let old = programs.join("git");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
        let folders = std::iter::once(programs).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).unwrap();
        let said = trap.ask(Some(Path::new(&path)));
        assert!(!trap.is_caught(), "{remote}: {said}");
    }
}

/// Configuration that runs a program where nothing is fetched.
#[test]
fn no_program_of_the_configuration_runs() {
    let trap = Trap::new();
    trap.configure(
        "[core]\n\tfsmonitor = PROGRAM\n\tpager = PROGRAM\n\teditor = PROGRAM\n\taskPass = PROGRAM\n\
         \talternateRefsCommand = PROGRAM\n\tattributesFile = ATTRIBUTES\n[pager]\n\tlog = PROGRAM\n\tshow = PROGRAM\n\
         [diff]\n\texternal = PROGRAM\n[diff \"trap\"]\n\tcommand = PROGRAM\n\ttextconv = PROGRAM\n[filter \"trap\"]\n\
         \tsmudge = PROGRAM\n\tclean = PROGRAM\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = PROGRAM\n\
         [gpg \"ssh\"]\n\tprogram = PROGRAM\n[credential]\n\thelper = PROGRAM\n[alias]\n\tlog = !PROGRAM\n\
         \tcat-file = !PROGRAM\n",
    );
    let attributes = "* diff=trap filter=trap\n";
    write(&trap.repository(), ".git/info/attributes", attributes);
    // A commit that says that it is signed.
    let repository = trap.repository();
    let tree = git(&repository, &["rev-parse", "main^{tree}"]);
    let commit = format!(
        "tree {tree}\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\ngpgsig -----BEGIN PGP \
         SIGNATURE-----\n \n iHUEABYKAB0=\n -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    write(&repository, "commit", commit);
    let id = git(
        &repository,
        &["hash-object", "-t", "commit", "-w", "commit"],
    );
    git(&repository, &["update-ref", "refs/heads/topic", &id]);
    let hooks = trap.repository().join(".git/hooks");
    for hook in [
        "reference-transaction",
        "post-index-change",
        "post-checkout",
    ] {
        let _ = fs::create_dir_all(&hooks);
        fs::copy(trap.program(), hooks.join(hook)).unwrap();
    }
    let _ = fs::remove_file(trap.caught());
    let said = trap.ask(None);
    assert!(!trap.is_caught(), "{said}");
    // The trap works.
    git(&repository, &["log", "-1", "topic"]);
    assert!(trap.is_caught());
}

#[test]
fn variables_lead_git_nowhere_else() {
    let trap = Trap::new();
    let other = trap.path().join("other");
    let output = opatlas(&trap.repository())
        .args(["compare", "git:main", "git:topic", "--path", FILE])
        .env("GIT_DIR", &other)
        .env("GIT_INDEX_FILE", &other)
        .env("GIT_EXTERNAL_DIFF", trap.program())
        .env("GIT_SSH_COMMAND", trap.program())
        .env("GIT_CONFIG_PARAMETERS", "'broken")
        .output()
        .unwrap();
    let (code, said) = said(output);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("argument-renamed"), "{said}");
}

#[test]
fn an_honest_repository_works() {
    let trap = Trap::new();
    let repository = trap.repository();
    let compare = ["compare", "git:main", "git:topic", "--path", FILE];
    let (code, said) = run(&repository, &compare);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("argument-renamed"), "{said}");
    let (code, said) = run(
        &repository,
        &["compare", "git:main", "git:nobody", "--path", FILE],
    );
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("invalid object name"), "{said}");
    let database = format!("sqlite://{}", trap.path().join("o.db").display());
    let import = ["import", "--git", ".", "--path", FILE, "--database"];
    let (code, said) = run(&repository, &[&import[..], &[&database]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("2 commits stored"), "{said}");
    // A partial clone that has the files, too.
    trap.lure("\turl = nowhere\n\tuploadpack = PROGRAM\n");
    assert_eq!(run(&repository, &compare).0, 1);
    let lenses = trap.open_in_editor().to_string();
    assert!(lenses.contains("break"), "{lenses}");
}

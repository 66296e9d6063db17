//! A PostgreSQL server of the tests' own, from the installed programs: in a folder of its own, over
//! a Unix socket, gone with the process that started it, however that ends.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{Connection as _, Executor as _, PgConnection};

/// A server.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    user: Option<User>,
    databases: AtomicU32,
    /// Stops the server and removes the folder when this process ends.
    _guard: Child,
}

/// Whom the server runs as, since it refuses to run as root.
struct User {
    uid: u32,
    gid: u32,
}

/// The server that the tests of one file share; `None`, with the reason printed, where PostgreSQL is
/// not installed.
pub fn shared() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(Cluster::start_new).as_ref()
}

impl Cluster {
    /// Makes and starts a server; `None`, with the reason printed, where PostgreSQL is not installed.
    pub fn start_new() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("OPATLAS_REQUIRE_POSTGRES").is_none(),
                "PostgreSQL is not installed; `apt-get install postgresql` brings it"
            );
            println!("skipped: PostgreSQL is not installed (apt-get install postgresql)");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("opatlas-pg").tempdir();
        let folder = folder.unwrap().keep();
        let user = unprivileged(&folder);
        if let Some(user) = &user {
            chown(&folder, Some(user.uid), Some(user.gid)).unwrap();
        }
        let cluster = Self {
            _guard: guard(&folder, &programs, user.as_ref()),
            folder,
            programs,
            user,
            databases: AtomicU32::new(0),
        };
        cluster.run(
            "initdb",
            &[
                "-D",
                "data",
                "-U",
                "opatlas",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync",
            ],
        );
        cluster.start();
        Some(cluster)
    }

    /// Starts the server, and returns when it answers.
    pub fn start(&self) {
        let options = format!(
            "-k {} -c listen_addresses='' -c max_connections=200 -c shared_buffers=32MB",
            self.folder.display()
        );
        self.run(
            "pg_ctl",
            &[
                "-D", "data", "-l", "log", "-w", "-t", "60", "-o", &options, "start",
            ],
        );
    }

    /// Stops the server at once, as a power cut would, and returns when it is gone.
    pub fn stop(&self) {
        self.run("pg_ctl", &["-D", "data", "-w", "-m", "immediate", "stop"]);
    }

    /// The address of a new, empty database.
    pub async fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut admin = PgConnection::connect(&self.url("postgres")).await.unwrap();
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        admin.execute(create).await.unwrap();
        self.url(&name)
    }

    /// The file that a table of a database at this address is kept in, all of it written out.
    pub async fn file_of(&self, url: &str, table: &str) -> PathBuf {
        let mut database = PgConnection::connect(url).await.unwrap();
        database.execute("CHECKPOINT").await.unwrap();
        let file: String = sqlx::query_scalar("SELECT pg_relation_filepath($1::regclass)")
            .bind(table)
            .fetch_one(&mut database)
            .await
            .unwrap();
        self.folder.join("data").join(file)
    }

    fn url(&self, database: &str) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://opatlas@{socket}/{database}")
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = as_user(&self.programs.join(program), self.user.as_ref());
        let output = command
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(output.success(), "{program} {arguments:?} failed: {log}");
    }
}

/// Waits for this process to end, when its end of the pipe closes, and clears up.
fn guard(folder: &Path, programs: &Path, user: Option<&User>) -> Child {
    let script = r#"cat > /dev/null; "$@"; rm -rf -- "$folder""#;
    let stop = as_user(&programs.join("pg_ctl"), user);
    Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(stop.get_program())
        .args(stop.get_args())
        .args(["-D", "data", "-m", "immediate", "stop"])
        .env("folder", folder)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn as_user(program: &Path, user: Option<&User>) -> Command {
    let Some(user) = user else {
        return Command::new(program);
    };
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={}", user.uid))
        .arg(format!("--regid={}", user.gid))
        .arg("--clear-groups")
        .arg(program);
    command
}

/// The folder of PostgreSQL's programs: that of `initdb` on the path, else the newest of Debian's.
fn programs() -> Option<PathBuf> {
    let has = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("postgres").exists();
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Links on the path are followed, since the other programs lie beside their target.
    let on_path = std::env::split_paths(&path).filter_map(|folder| {
        let target = folder.join("initdb").canonicalize().ok()?;
        Some(target.parent()?.to_owned())
    });
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut debian: Vec<_> = debian
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .collect();
    debian.sort_by_key(|folder| {
        let version = folder.parent().and_then(Path::file_name);
        version.and_then(|version| version.to_str()?.parse::<u32>().ok())
    });
    on_path.chain(debian.into_iter().rev()).find(has)
}

/// Another user, where this is root: the one that Debian makes for PostgreSQL, else `nobody`.
fn unprivileged(own: &Path) -> Option<User> {
    if own.metadata().unwrap().uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let find = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2).map(str::parse::<u32>);
        Some(User {
            uid: fields.next()?.ok()?,
            gid: fields.next()?.ok()?,
        })
    };
    Some(find("postgres").or_else(|| find("nobody")).unwrap())
}

//! The program under watch: what each request costs it, read from `/proc`.
//!
//! No bound is on time of the clock, which depends on what else the machine does. What counts is the
//! processor time that the program itself used: while a request was answered, while one question
//! after its health waited, and after the answer.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tempfile::TempDir;

use crate::served::Served;
use crate::shape::Asked;

/// How many times slower the program may be: the one built for tests is not optimized. One that
/// `OPATLAS_PROGRAM` names is taken as built for use.
static FACTOR: LazyLock<f64> =
    LazyLock::new(|| match std::env::var_os("OPATLAS_PROGRAM").is_none() {
        true if cfg!(debug_assertions) => 5.0,
        _ => 1.0,
    });
/// The most processor seconds that a request may cost.
const SECONDS: f64 = 3.0;
/// The most processor seconds that pass while `/healthz` is waited for, over two cores: a third of a
/// second on each.
const HEALTH: f64 = 0.6;
/// The most processor seconds that are used after an answer.
const AFTER: f64 = 1.0;
/// The most memory, in bytes.
pub const MEMORY: u64 = 600 << 20;
/// The largest answer, in bytes.
pub const ANSWER: u64 = 64 << 20;

/// What a request cost.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    pub status: u16,
    pub seconds: f64,
    pub health: f64,
    pub after: f64,
    pub memory: u64,
    pub answer: u64,
    /// Why it has no answer.
    pub lost: Option<String>,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "status {}, {:.2} s, {:.2} s while /healthz waited, {:.2} s after, {} MiB, {} bytes",
            self.status,
            self.seconds,
            self.health,
            self.after,
            self.memory >> 20,
            self.answer
        )?;
        match &self.lost {
            Some(lost) => write!(f, ", {lost}"),
            None => Ok(()),
        }
    }
}

impl Cost {
    /// The bounds that it breaks, in words.
    pub fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        if let Some(lost) = &self.lost {
            broken.push(format!("no answer ({lost})"));
        }
        if self.status >= 500 {
            broken.push(format!("status {}", self.status));
        }
        let times = [
            ("to answer", self.seconds, *FACTOR * SECONDS),
            ("while /healthz waited", self.health, *FACTOR * HEALTH),
            ("after the answer", self.after, *FACTOR * AFTER),
        ];
        for (what, used, limit) in times {
            if used > limit {
                broken.push(format!(
                    "{used:.1} s of the processor {what}, at most {limit:.1}"
                ));
            }
        }
        let sizes = [
            ("of memory", self.memory, MEMORY),
            ("of answer", self.answer, ANSWER),
        ];
        for (what, used, limit) in sizes {
            if used > limit {
                broken.push(format!(
                    "{} MiB {what}, at most {}",
                    used >> 20,
                    limit >> 20
                ));
            }
        }
        broken
    }
}

/// A server and those who watch it.
pub struct Program {
    served: Arc<Mutex<Served>>,
    url: String,
    process: Process,
    watch: Arc<Watch>,
    watchers: Vec<JoinHandle<()>>,
    _folder: TempDir,
}

/// What the watchers found since the last request.
#[derive(Default)]
struct Watch {
    /// The most processor time that passed while health was asked for, in microseconds.
    health: AtomicU64,
    /// How many questions after health have been answered.
    rounds: AtomicU64,
    /// Processor time at which the program is ended, in microseconds; 0 for never.
    deadline: AtomicU64,
    /// Why it was ended.
    ended: Mutex<Option<String>>,
    stop: AtomicBool,
}

impl Program {
    /// Starts one over an empty database.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
        // How long it takes by the clock depends on what else the machine does.
        let patient = ["--request-timeout", "3600", "--body-timeout", "3600"];
        let served = Served::start_with(&database, &patient);
        let (url, process) = (served.url.clone(), Process::of(served.id()));
        let served = Arc::new(Mutex::new(served));
        let watch = Arc::new(Watch::default());
        let watchers = vec![
            std::thread::spawn({
                let (watch, process, url) = (Arc::clone(&watch), process.clone(), url.clone());
                move || watch_health(&watch, &process, &url)
            }),
            std::thread::spawn({
                let (watch, process, served) =
                    (Arc::clone(&watch), process.clone(), Arc::clone(&served));
                move || watch_use(&watch, &process, &served)
            }),
        ];
        Self {
            served,
            url,
            process,
            watch,
            watchers,
            _folder: folder,
        }
    }

    /// Sends a request and says what it cost. A program that was ended for what it used is gone.
    pub fn ask(&self, asked: &Asked) -> Cost {
        self.process.forget_peak();
        let begun = self.process.seconds();
        self.watch.health.store(0, Ordering::Relaxed);
        let deadline = (begun + 2.0 * *FACTOR * SECONDS) * 1e6;
        self.watch
            .deadline
            .store(deadline as u64, Ordering::Relaxed);
        let answer = send(&self.url, asked);
        let answered = self.process.seconds();
        self.settle(answered + 2.0 * *FACTOR * AFTER);
        self.hear_health();
        let ended = self.watch.ended.lock().unwrap().clone();
        self.watch.deadline.store(0, Ordering::Relaxed);
        let mut cost = Cost {
            seconds: answered - begun,
            health: self.watch.health.load(Ordering::Relaxed) as f64 / 1e6,
            after: self.process.seconds() - answered,
            memory: self.process.peak(),
            lost: ended,
            ..Cost::default()
        };
        match answer {
            Ok((status, bytes)) => (cost.status, cost.answer) = (status, bytes),
            Err(why) => cost.lost = cost.lost.or(Some(why)),
        }
        cost
    }

    /// Waits until the question after health that is under way is answered.
    fn hear_health(&self) {
        let round = self.watch.rounds.load(Ordering::Relaxed);
        while self.watch.rounds.load(Ordering::Relaxed) == round && self.is_up() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until no thread of the program runs, or until it has used this much of the processor.
    fn settle(&self, limit: f64) {
        let mut quiet = 0;
        let mut last = self.process.seconds();
        while quiet < 2 && self.process.seconds() < limit {
            std::thread::sleep(Duration::from_millis(20));
            let now = self.process.seconds();
            let still = now - last < 0.015 && !self.process.runs();
            quiet = if still { quiet + 1 } else { 0 };
            last = now;
        }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// Whether it answers.
    pub fn is_well(&self) -> bool {
        let answer = agent(Duration::from_secs(60))
            .get(format!("{}/healthz", self.url))
            .call();
        self.is_up() && answer.is_ok_and(|answer| answer.status() == 200)
    }

    /// The most memory that it had, in bytes.
    pub fn peak(&self) -> u64 {
        self.process.peak()
    }

    /// Waits until it does nothing more.
    pub fn quiet(&self) {
        self.settle(self.process.seconds() + 20.0 * *FACTOR * SECONDS);
    }

    /// Whether it still runs.
    pub fn is_up(&self) -> bool {
        self.watch.ended.lock().unwrap().is_none() && self.process.memory() > 0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.watch.stop.store(true, Ordering::Relaxed);
        self.served.lock().unwrap().kill();
        for watcher in self.watchers.drain(..) {
            let _ = watcher.join();
        }
    }
}

/// Asks for health again and again, and notes how much the program did while one question waited.
fn watch_health(watch: &Watch, process: &Process, url: &str) {
    let agent = agent(Duration::from_secs(3600));
    while !watch.stop.load(Ordering::Relaxed) {
        let before = process.seconds();
        let answer = agent.get(format!("{url}/healthz")).call();
        let used = process.seconds() - before;
        if answer.is_ok() {
            watch
                .health
                .fetch_max((used * 1e6) as u64, Ordering::Relaxed);
        }
        watch.rounds.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// Ends a program that uses far more than it may, so that the machine and the test go on.
fn watch_use(watch: &Watch, process: &Process, served: &Mutex<Served>) {
    while !watch.stop.load(Ordering::Relaxed) {
        let deadline = watch.deadline.load(Ordering::Relaxed) as f64 / 1e6;
        let too_long = deadline > 0.0 && process.seconds() > deadline;
        let memory = process.memory();
        let too_much = memory > 2 * MEMORY;
        if too_long || too_much {
            let why = match too_much {
                true => format!("ended at {} MiB of memory", memory >> 20),
                false => "ended for its use of the processor".to_owned(),
            };
            let mut served = served.lock().unwrap();
            process.last_peak.store(memory, Ordering::Relaxed);
            *watch.ended.lock().unwrap() = Some(why);
            served.kill();
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process, by what `/proc` says of it. The last numbers stay when it is gone.
#[derive(Clone)]
struct Process {
    folder: PathBuf,
    last_seconds: Arc<AtomicU64>,
    last_peak: Arc<AtomicU64>,
}

impl Process {
    fn of(id: u32) -> Self {
        Self {
            folder: format!("/proc/{id}").into(),
            last_seconds: Arc::default(),
            last_peak: Arc::default(),
        }
    }

    /// Processor time that it has used, in seconds.
    fn seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(self.folder.join("stat")).unwrap_or_default();
        // The name of the program, in parentheses, may hold anything.
        if let Some((_, rest)) = stat.rsplit_once(") ") {
            let mut fields = rest
                .split(' ')
                .skip(11)
                .map_while(|field| field.parse::<u64>().ok());
            let ticks = fields.next().unwrap_or(0) + fields.next().unwrap_or(0);
            // Linux counts in hundredths of a second here, on every machine.
            self.last_seconds
                .fetch_max(ticks * 10_000, Ordering::Relaxed);
        }
        self.last_seconds.load(Ordering::Relaxed) as f64 / 1e6
    }

    /// Whether a thread of it runs or waits for a processor.
    fn runs(&self) -> bool {
        let tasks = std::fs::read_dir(self.folder.join("task"))
            .into_iter()
            .flatten()
            .flatten();
        tasks
            .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
            .any(|stat| {
                stat.rsplit_once(") ")
                    .is_some_and(|(_, rest)| rest.starts_with('R'))
            })
    }

    fn of_status(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(self.folder.join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes =
            line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kilobytes.unwrap_or(0) << 10
    }

    fn memory(&self) -> u64 {
        self.of_status("VmRSS:")
    }

    /// The most memory since [`Self::forget_peak`], in bytes.
    fn peak(&self) -> u64 {
        match self.of_status("VmHWM:") {
            0 => self.last_peak.load(Ordering::Relaxed),
            peak => {
                self.last_peak.store(peak, Ordering::Relaxed);
                peak
            }
        }
    }

    /// Begins to count the peak anew. Where the system does not allow it, the peak is that of all requests.
    fn forget_peak(&self) {
        let _ = std::fs::write(self.folder.join("clear_refs"), "5");
    }
}

fn agent(patience: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(patience));
    config.build().into()
}

/// The status of an answer and how many bytes it has; what is beyond the bound is not read.
fn send(url: &str, asked: &Asked) -> Result<(u16, u64), String> {
    let request = ureq::http::Request::builder()
        .method(asked.method)
        .uri(format!("{url}{}", asked.path))
        .header("accept", asked.accept);
    let request = match asked.media.is_empty() {
        true => request,
        // A body beyond the limits is sent whole, and the refusal is read after it.
        false => request.header("content-type", &asked.media),
    };
    let agent = agent(Duration::from_secs(3600));
    let answer = match asked.media.is_empty() {
        true => agent.run(request.body(()).map_err(|e| e.to_string())?),
        false => agent.run(request.body(&asked.body[..]).map_err(|e| e.to_string())?),
    };
    let mut answer = answer.map_err(|error| error.to_string())?;
    let mut reader = answer.body_mut().with_config().limit(ANSWER + 1).reader();
    let bytes = std::io::copy(
        &mut std::io::Read::take(&mut reader, ANSWER + 1),
        &mut std::io::sink(),
    );
    Ok((
        answer.status().as_u16(),
        bytes.map_err(|error| error.to_string())?,
    ))
}

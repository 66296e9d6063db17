//! Ends a process that takes too long.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(1);

/// A process with a deadline. Dropping the value ends it.
pub(super) struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    /// `None` once it has been waited for, because another process may get its number.
    child: Mutex<Option<Child>>,
    time: Mutex<Time>,
    changed: Condvar,
}

#[derive(Default)]
struct Time {
    /// The deadline; `None` while nobody waits.
    deadline: Option<Instant>,
    is_late: bool,
    is_done: bool,
}

impl Watch {
    pub(super) fn new(child: Child, most: Duration) -> Self {
        let shared = Arc::new(Shared {
            child: Mutex::new(Some(child)),
            time: Mutex::new(Time::default()),
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&shared);
        thread::spawn(move || watched.watch(most));
        Self { shared }
    }

    pub(super) fn expect_within(&self, most: Duration) {
        self.shared.time().deadline = Some(Instant::now() + most);
    }

    pub(super) fn relax(&self) {
        self.shared.time().deadline = None;
    }

    pub(super) fn is_late(&self) -> bool {
        self.shared.time().is_late
    }

    pub(super) fn kill(&self) {
        self.shared.kill();
    }

    pub(super) fn status(&self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.shared.status()? {
                return Ok(status);
            }
            thread::sleep(LOOK);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.time().is_done = true;
        self.shared.changed.notify_all();
        self.shared.kill();
        if let Some(mut child) = self.shared.child().take() {
            // It has been killed, so this wait is short.
            let _ = child.wait();
        }
    }
}

impl Shared {
    fn time(&self) -> MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process at the deadline. Sleeps until then, and checks whether the deadline has moved.
    fn watch(&self, most: Duration) {
        let mut time = self.time();
        while !time.is_done {
            let now = Instant::now();
            let left = time
                .deadline
                .map_or(most, |deadline| deadline.saturating_duration_since(now));
            if left.is_zero() {
                time.is_late = true;
                drop(time);
                return self.kill();
            }
            let woken = self.changed.wait_timeout(time, left);
            time = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn status(&self) -> io::Result<Option<ExitStatus>> {
        let mut child = self.child();
        let Some(running) = child.as_mut() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let status = running.try_wait()?;
        if status.is_some() {
            *child = None;
        }
        Ok(status)
    }

    fn kill(&self) {
        if let Some(child) = self.child().as_mut() {
            kill_group(child);
            let _ = child.kill();
        }
    }
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        // It may have just ended.
        let _ = kill_process_group(id, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_what_it_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & sleep 1000"]);
        let mut child = command
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = child.stdout.take().unwrap();
        let most = Duration::from_millis(20);
        let watch = Watch::new(child, most);
        watch.expect_within(most);
        // The end comes when nobody holds the pipe any more.
        assert_eq!(io::copy(&mut printed, &mut io::sink()).unwrap(), 0);
        assert!(!watch.status().unwrap().success());
        assert!(watch.is_late());
    }

    #[test]
    fn a_process_that_nobody_waits_for_lives() {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let most = Duration::from_millis(1);
        let watch = Watch::new(child, most);
        watch.expect_within(Duration::from_secs(1000));
        watch.relax();
        assert!(!watch.is_late());
        watch.kill();
        assert!(!watch.status().unwrap().success());
        assert!(!watch.is_late());
    }
}

//! Reads files and standard input, with limits on size and time. Nothing else reads them.
//!
//! A file on the command line may be a pipe or a device, such as `<(git show ...)`. Files from a
//! configuration file, a folder or an archive must be regular files.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek as _, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// The maximum size of a file, in bytes. Real ones are under 1 MiB.
pub(super) const LARGEST: u64 = 64 << 20;
const WRITER: Duration = Duration::from_secs(2);
const SILENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(10);
const CHUNK: usize = 64 << 10;
const BEGIN: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user, on the command line.
    Given,
    /// A configuration file, or a folder that the user names.
    Found,
    /// A folder that a stranger filled: links are not followed.
    Foreign,
}

/// Fails if the file is a folder or socket, or has more than [`LARGEST`] bytes.
pub(super) fn given(path: &Path) -> anyhow::Result<Vec<u8>> {
    bytes(path, Origin::Given, LARGEST).with_context(|| cannot_read(path))
}

/// Fails as [`given`] does, and if the file is not UTF-8.
pub(super) fn given_text(path: &Path) -> anyhow::Result<String> {
    text(given(path)?, path)
}

/// Fails if the file is not a regular file, or has more than [`LARGEST`] bytes.
pub(super) fn found(path: &Path) -> anyhow::Result<Vec<u8>> {
    bytes(path, Origin::Found, LARGEST).with_context(|| cannot_read(path))
}

/// `None` if the file does not exist. Fails as [`found`] does, and if it is not UTF-8.
pub(super) fn text_if_found(path: &Path) -> anyhow::Result<Option<String>> {
    match bytes(path, Origin::Found, LARGEST) {
        Ok(bytes) => text(bytes, path).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| cannot_read(path)),
    }
}

/// Opens a regular file that begins so; `None` for a file that begins otherwise, and for a pipe.
pub(super) fn given_if(
    path: &Path,
    begins: impl Fn(&[u8]) -> bool,
) -> anyhow::Result<Option<File>> {
    let opened = || -> io::Result<Option<File>> {
        let mut file = open(path, Origin::Given)?;
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let mut begin = Vec::new();
        Read::by_ref(&mut file)
            .take(BEGIN)
            .read_to_end(&mut begin)?;
        file.rewind()?;
        Ok(begins(&begin).then_some(file))
    };
    opened().with_context(|| cannot_read(path))
}

#[expect(
    clippy::disallowed_methods,
    reason = "every other part of the program asks this one"
)]
pub(super) fn standard_input() -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = copy_all(&mut io::stdin().lock(), &mut bytes, LARGEST);
    read.context("cannot read standard input")?;
    Ok(bytes)
}

/// Fails if the file has a kind that its origin does not allow, or is too large.
pub(super) fn bytes(path: &Path, origin: Origin, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    copy(path, origin, most, &mut bytes)?;
    Ok(bytes)
}

/// Copies a file, up to a limit. Fails as [`bytes`] does, and if the target cannot be written.
pub(super) fn copy(
    path: &Path,
    origin: Origin,
    most: u64,
    target: &mut impl Write,
) -> io::Result<()> {
    let mut file = open(path, origin)?;
    if file.metadata()?.is_file() {
        copy_all(&mut file, target, most)
    } else {
        copy_stream(&mut file, is_named_pipe(path), target, most)
    }
}

/// Opens a file without blocking. Fails if it has a kind that its origin does not allow.
#[expect(
    clippy::disallowed_methods,
    reason = "every other part of the program asks this one"
)]
pub(super) fn open(path: &Path, origin: Origin) -> io::Result<File> {
    // Opening a device may have an effect, so check first.
    let metadata = match origin {
        Origin::Foreign => fs::symlink_metadata(path)?,
        Origin::Given | Origin::Found => fs::metadata(path)?,
    };
    expect_kind(metadata.file_type(), origin)?;
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options, origin);
    let file = options.open(path)?;
    // The path may have another file by now, so check again.
    expect_kind(file.metadata()?.file_type(), origin)?;
    Ok(file)
}

fn expect_kind(kind: FileType, origin: Origin) -> io::Result<()> {
    if kind.is_file() || origin == Origin::Given && is_stream(kind) {
        return Ok(());
    }
    let what = match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a link",
        kind if is_stream(kind) => "a pipe or device",
        _ => "a special file",
    };
    Err(io::Error::other(format!(
        "it is {what}, not a regular file"
    )))
}

#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_fifo() || kind.is_char_device()
}

/// On other systems, only regular files have the type of one.
#[cfg(not(unix))]
fn is_stream(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}

/// The pipe of `<(...)` has no name, and has its writer from the start.
#[cfg(unix)]
fn is_named_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let metadata = fs::canonicalize(path).and_then(fs::metadata);
    metadata.is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_named_pipe(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions, origin: Origin) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if origin == Origin::Foreign {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions, _: Origin) {}

fn copy_all(source: &mut impl Read, target: &mut impl Write, most: u64) -> io::Result<()> {
    let copied = io::copy(&mut source.take(most.saturating_add(1)), target)?;
    if copied > most {
        Err(too_long(most))
    } else {
        Ok(())
    }
}

/// Reads without blocking. A pipe without a writer looks like one at its end; an open and empty one
/// reports that it would block.
fn copy_stream(
    source: &mut impl Read,
    mut needs_writer: bool,
    target: &mut impl Write,
    most: u64,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    let (mut copied, mut heard) = (0, Instant::now());
    loop {
        match source.read(&mut chunk) {
            Ok(0) if !needs_writer => return Ok(()),
            Ok(0) if heard.elapsed() >= WRITER => return Err(no_writer()),
            Ok(0) => thread::sleep(LOOK),
            Ok(length) => {
                (needs_writer, heard) = (false, Instant::now());
                copied += length as u64;
                if copied > most {
                    return Err(too_long(most));
                }
                target.write_all(&chunk[..length])?;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                needs_writer = false;
                if heard.elapsed() >= SILENCE {
                    return Err(silent());
                }
                thread::sleep(LOOK);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn too_long(most: u64) -> io::Error {
    io::Error::other(format!("it has more than {most} bytes, which is the limit"))
}

fn no_writer() -> io::Error {
    io::Error::other("it is a pipe that no program writes to")
}

fn silent() -> io::Error {
    io::Error::other(format!(
        "nothing came out of the pipe for {} s; write to a file first, or use standard input where `-` is taken",
        SILENCE.as_secs()
    ))
}

fn text(bytes: Vec<u8>, path: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes)
        .context("it is not UTF-8")
        .with_context(|| cannot_read(path))
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

//! The archives of `torch.export.save` and `torch.jit.save`. Only entries with a program are read;
//! weights and pickles stay where they are.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};

use crate::code::{self, CodeFile};
use crate::gather::Gather;
use crate::place::cut;
use crate::{Limits, Model, Refusal, program};

/// The program in an archive of torch 2.8 and earlier.
const SERIALIZED: &str = "serialized_exported_program.json";

/// How many names of entries a message has.
const NAMED: usize = 3;

/// The entries of an archive that are of interest, in its order.
#[derive(Debug, Default)]
struct Entries {
    programs: Vec<String>,
    code: Vec<String>,
    others: Vec<String>,
    has_pickle: bool,
    is_compiled: bool,
    is_mobile: bool,
}

impl Entries {
    fn of<'a>(names: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let mut found = Self::default();
        for name in names {
            let name = &*name;
            let file = name.rsplit('/').next().unwrap_or_default();
            if is_program(name, file) {
                found.programs.push(name.to_owned());
            } else if is_code(name) {
                found.code.push(name.to_owned());
            } else if found.others.len() < NAMED {
                found.others.push(cut(name));
            }
            found.has_pickle |= file == "data.pkl";
            found.is_mobile |= file == "bytecode.pkl";
            found.is_compiled |= name.contains("data/aotinductor/");
        }
        found
    }

    /// What the archive looks like, if it has no program.
    fn what(&self) -> String {
        if self.is_compiled {
            "a package that AOTInductor compiled, which no longer has the operators; save the \
             program before compiling it"
                .to_owned()
        } else if self.has_pickle {
            "a file of `torch.save`, which holds weights and no program; export the model with \
             `torch.export.save`"
                .to_owned()
        } else if self.others.is_empty() {
            "an empty zip archive".to_owned()
        } else {
            format!("a zip archive with {}", self.others.join(", "))
        }
    }
}

/// `models/NAME.json`, below the folder of the archive, or the older name.
fn is_program(name: &str, file: &str) -> bool {
    let folder = name.rsplit('/').nth(1);
    file == SERIALIZED || folder == Some("models") && file.ends_with(".json")
}

fn is_code(name: &str) -> bool {
    let is_inside = name.starts_with("code/") || name.contains("/code/");
    is_inside && name.ends_with(".py")
}

/// Counts what is read, and fails behind a limit.
struct Metered<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 {
            return Err(io::Error::other("more bytes would be read than the limit"));
        }
        let most = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        let most = buffer.len().min(most);
        let count = self.inner.read(&mut buffer[..most])?;
        self.left.set(self.left.get() - count as u64);
        Ok(count)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// An archive, and how many bytes of its entries may still be unpacked.
struct Archive<R> {
    zip: ZipArchive<Metered<R>>,
    left: u64,
    limit: u64,
}

impl<R: Read + Seek> Archive<R> {
    fn open(inner: R, limits: &Limits) -> Result<Self, Refusal> {
        let left = Rc::new(Cell::new(limits.directory_bytes));
        let metered = Metered {
            inner,
            left: Rc::clone(&left),
        };
        // An archive may contain others, whose directories the library could take for its own.
        let config = Config {
            archive_offset: ArchiveOffset::Known(0),
        };
        let zip = ZipArchive::with_config(config, metered).map_err(|error| broken(&error))?;
        left.set(limits.text_bytes.saturating_add(limits.directory_bytes));
        Ok(Self {
            zip,
            left: limits.text_bytes,
            limit: limits.text_bytes,
        })
    }

    fn entry(&mut self, name: &str) -> Result<Vec<u8>, Refusal> {
        let entry = self.zip.by_name(name).map_err(|error| broken(&error))?;
        let mut bytes = Vec::new();
        let read = entry
            .take(self.left.saturating_add(1))
            .read_to_end(&mut bytes);
        read.map_err(|error| broken(&error))?;
        let length = bytes.len() as u64;
        if length > self.left {
            return Err(Refusal::TooLarge {
                what: format!("the program in the archive (`{}`)", cut(name)),
                limit: self.limit,
            });
        }
        self.left -= length;
        Ok(bytes)
    }
}

fn broken(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::Archive {
        why: cut(&error.to_string()),
    }
}

pub(crate) fn read(archive: impl Read + Seek, limits: &Limits) -> Result<Model, Refusal> {
    let mut archive = Archive::open(archive, limits)?;
    let entries = Entries::of(archive.zip.file_names().filter_map(Result::ok));
    if !entries.programs.is_empty() {
        return exported(&mut archive, &entries, limits);
    }
    if entries.code.is_empty() {
        return Err(Refusal::Other {
            what: entries.what(),
        });
    }
    let mut files = Vec::with_capacity(entries.code.len());
    for name in &entries.code {
        let bytes = archive.entry(name)?;
        files.push(CodeFile::new(name, &bytes));
    }
    let mut gather = Gather::new(limits);
    code::read(&files, &mut gather)?;
    if entries.is_mobile {
        gather
            .note("The operators are those of the code, not of bytecode.pkl, which is not loaded.");
    }
    Ok(gather.model("TorchScript archive"))
}

fn exported<R: Read + Seek>(
    archive: &mut Archive<R>,
    entries: &Entries,
    limits: &Limits,
) -> Result<Model, Refusal> {
    let mut gather = Gather::new(limits);
    for name in &entries.programs {
        let bytes = archive.entry(name)?;
        program::read(name, &bytes, &mut gather)?;
    }
    if entries.programs.len() > 1 {
        let count = entries.programs.len();
        gather.note(&format!(
            "The archive has {count} programs; all of them count."
        ));
    }
    Ok(gather.model("exported program"))
}

//! Stand-ins for pip: shell scripts that "download" wheels made here.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

const OPERATORS: &str = "torchgen/packaged/ATen/native/native_functions.yaml";
const TAGS: &str = "torchgen/packaged/ATen/native/tags.yaml";
const ONE: &str = "- func: one(Tensor self) -> Tensor\n";

/// Writes a wheel with these members.
fn wheel(path: &Path, members: &[(&str, &str)]) {
    let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (member, text) in members {
        archive.start_file(*member, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

/// Writes the script. Gives the command that runs it, as `--pip` takes it.
fn script(folder: &Path, text: &str) -> String {
    let script = folder.join("pip.sh");
    std::fs::write(&script, text).unwrap();
    format!("sh {}", script.display())
}

/// A pip whose index has torch 2.9.0 only, with tags and a file that is not YAML.
pub fn of_one_release(folder: &Path) -> String {
    let path = folder.join("torch-2.9.0-cp311-none-any.whl");
    let tags = "- tag: core\n  desc: small\n";
    let members = [
        (OPERATORS, ONE),
        (TAGS, tags),
        ("torch/__init__.py", "raise SystemExit\n"),
    ];
    wheel(&path, &members);
    let text = format!(
        "while [ $# -gt 0 ]; do\n\
         case $1 in --version) exit 0;; --dest) dest=$2; shift;; torch==*) spec=$1;; esac; shift; done\n\
         if [ $spec != torch==2.9.0 ]; then\n\
         echo 'ERROR: no match (from versions: 2.8.0, 2.9.0)' >&2; exit 1; fi\n\
         cp '{}' $dest\n",
        path.display()
    );
    script(folder, &text)
}

/// A pip whose index has four releases, of which one cannot be downloaded until `mended` is there; it
/// lists its downloads in `downloads`.
pub fn of_four_releases(folder: &Path) -> String {
    let releases = [
        ("2.7.0", ONE),
        ("2.8.0", "- func: one(Tensor self, int n=0) -> Tensor\n"),
        (
            "2.9.0",
            "- func: one(Tensor self, int n=0, int m=0) -> Tensor\n",
        ),
        (
            "2.10.0",
            "- func: one(Tensor self, int n=0, int m=0) -> Tensor\n  tags: core\n",
        ),
    ];
    for (version, entry) in releases {
        let path = folder.join(format!("torch=={version}.whl"));
        wheel(&path, &[(OPERATORS, entry)]);
    }
    let text = format!(
        "case \"$*\" in *--version) exit 0;;\n\
         *index*versions*) echo 'Available versions: 2.10.0, 2.9.0, 2.8.0, 2.7.0'; exit 0;; esac\n\
         while [ $# -gt 0 ]; do\n\
         case $1 in --dest) dest=$2; shift;; torch==*) spec=$1;; esac; shift; done\n\
         echo $spec >> '{0}/downloads'\n\
         if [ $spec = torch==2.8.0 ] && [ ! -e '{0}/mended' ]; then\n\
         echo 'ERROR: connection reset' >&2; exit 1; fi\n\
         cp '{0}'/$spec.whl $dest/torch.whl\n",
        folder.display()
    );
    script(folder, &text)
}

/// A pip that downloads torch 2.9.0, leaves a file in the temporary folder, and then runs the rest.
pub fn then(folder: &Path, rest: &str) -> String {
    let path = folder.join("torch-2.9.0-cp311-none-any.whl");
    wheel(&path, &[(OPERATORS, ONE)]);
    let text = format!(
        "while [ $# -gt 0 ]; do\n\
         case $1 in --version) exit 0;; --dest) dest=$2; shift;; esac; shift; done\n\
         cp '{}' $dest\necho partial > $TMPDIR/pip-unpack\n{rest}\n",
        path.display()
    );
    script(folder, &text)
}

"""Writes a git repository whose `native_functions.yaml` changes with every commit, as real ones do.

    repository.py YAML COMMITS FOLDER

Each commit changes one to ten entries: a kernel gets another name, a backend is added or removed, an
argument with a default comes in, an entry comes or goes. The same arguments give the same commits.
"""

import random
import re
import subprocess
import sys

PATH = "aten/src/ATen/native/native_functions.yaml"
FIRST = 1_600_000_000


def entries(text):
    """The text cut before every `- func:` at the start of a line."""
    return re.split(r"(?m)^(?=- func:)", text)


def changed(entry, chance, count):
    """An entry with one change, or itself where there is nothing to change."""
    lines = entry.split("\n")
    xpu = [i for i, line in enumerate(lines) if line.startswith("    XPU: ")]
    kernels = [i for i, line in enumerate(lines) if re.match(r"    [A-Z][A-Za-z, ]+: \w+$", line)]
    kind = chance.random()
    if kind < 0.2 and xpu:
        del lines[xpu[0]]
        # A `dispatch:` with nothing in it is refused.
        return "\n".join(lines) if len(kernels) > 1 else entry
    if kind < 0.4 and kernels and not xpu and "XPU" not in entry:
        lines.insert(kernels[-1] + 1, f"    XPU: kernel_xpu_{count}")
    elif kind < 0.8 and kernels:
        at = chance.choice(kernels)
        key, _ = lines[at].rsplit(": ", 1)
        lines[at] = f"{key}: kernel_{count}"
    elif "autogen" not in entry and "structured" not in entry and "out=" not in entry:
        lines[0] = re.sub(r"\) ->", f", *, bool new_flag_{count}=False) ->", lines[0], count=1)
        if lines[0].count("*,") > 1 or "(," in lines[0]:
            return entry
    return "\n".join(lines)


def added(count):
    return (
        f"- func: synthetic_{count}(Tensor self, Tensor other) -> Tensor\n"
        f"  dispatch:\n    CPU, CUDA: synthetic_kernel_{count}\n\n"
    )


def main():
    source, commits, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    chance = random.Random(1)
    with open(source, encoding="utf-8") as file:
        head, *parts = entries(file.read())
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    # Deltas between neighbours are what makes ten thousand versions of a file small.
    importer = subprocess.Popen(["git", "-C", folder, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    out = importer.stdin
    for count in range(commits):
        before = list(parts)
        while count and parts == before:
            for _ in range(chance.randint(1, 10)):
                at = chance.randrange(len(parts))
                kind = chance.random()
                if kind < 0.05:
                    parts.insert(at, added(f"{count}_{at}"))
                elif kind < 0.08 and parts[at].startswith("- func: synthetic_"):
                    del parts[at]
                else:
                    parts[at] = changed(parts[at], chance, count)
        text = (head + "".join(parts)).encode()
        message = f"Change {count}".encode()
        who = f"A <a@example.org> {FIRST + 3600 * count} +0000"
        out.write(
            b"commit refs/heads/main\nauthor %b\ncommitter %b\ndata %d\n%b\nM 100644 inline %b\ndata %d\n%b\n"
            % (who.encode(), who.encode(), len(message), message, PATH.encode(), len(text), text)
        )
    out.close()
    if importer.wait():
        sys.exit("git fast-import failed")


main()

"""Reads the steps of a new user out of the README and the pages that it links: steps.py REPOSITORY OUT

A comment before a block says which step the block is:

    <!-- newcomer: 1 -->         the commands after `$ ` in the block
    <!-- newcomer: 2, ~/FILE --> the block is the text of a file

Writes each step as a script OUT/NUMBER. Fails if there are more than ten commands (a file counts as one), if
a step is missing, or if a page that the README does not link has one.
"""

import pathlib
import re
import shlex
import sys

MOST = 10
MARK = re.compile(r"<!-- newcomer: (\d+)(?:, (\S+))? -->\n+```(\w+)\n(.*?)```\n", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")
# The names that the documents leave to the reader.
REPLACED = {"OWNER/NAME": "octo/torch", "TOKEN=TOKEN": "TOKEN=token"}


def commands(block):
    """The commands of a block; a backslash at the end of a line continues it."""
    joined = block.replace("\\\n", "")
    return [line[2:] for line in joined.splitlines() if line.startswith("$ ")]


def script(path, language, block):
    """The script of a step, and the number of its commands."""
    if path:
        quoted = f'"$HOME"/{shlex.quote(path[2:])}' if path.startswith("~/") else shlex.quote(path)
        lines = [f"mkdir --parents $(dirname {quoted})", f"cat >{quoted} <<'END'", block + "END"]
        return "\n".join(lines) + "\n", 1
    if language != "console":
        raise SystemExit(f"a step is a block of commands or names a file, and this is {language}")
    found = commands(block)
    # The comment of a command line is none of the command.
    text = "\n".join(found)
    for old, new in REPLACED.items():
        text = text.replace(old, new)
    return text + "\n", len(found)


def steps(repository):
    """The steps by number, from the README and its pages."""
    readme = (repository / "README.md").read_text()
    pages = [repository / "README.md"] + [repository / name for name in LINK.findall(readme)]
    found = {}
    for page in dict.fromkeys(pages):
        for number, *step in MARK.findall(page.read_text()):
            if int(number) in found:
                raise SystemExit(f"{page}: step {number} is there twice")
            found[int(number)] = step
    if sorted(found) != list(range(1, len(found) + 1)):
        raise SystemExit(f"the steps are {sorted(found)}: one is missing, or on a page without a link")
    return found


def main(repository, out):
    count = 0
    for number, step in steps(repository).items():
        text, commands_of_step = script(*step)
        count += commands_of_step
        (out / str(number)).write_text(text)
    if not 0 < count <= MOST:
        raise SystemExit(f"the path of a new user has {count} commands; at most {MOST} are allowed")
    print(f"{count} commands from the documents")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

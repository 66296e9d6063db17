"""``python -m opatlas``: runs the program with the same arguments."""

import os
import subprocess
import sys

from . import program


def main() -> None:
    arguments = [program(), *sys.argv[1:]]
    if sys.platform == "win32":
        # exec does not wait there.
        sys.exit(subprocess.run(arguments, check=False).returncode)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()

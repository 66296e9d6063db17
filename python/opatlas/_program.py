"""Where the program of this package is."""

from __future__ import annotations

import os
import sys
import sysconfig

NAME = "opatlas.exe" if sys.platform == "win32" else "opatlas"


def program() -> str:
    """The path of the program that was installed with this package.

    Raises FileNotFoundError if the package was installed without it.
    """
    # The package may be in an environment, among the user's packages, or in a folder of its own
    # (``pip install --target``), which has ``bin`` beside the package.
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=_user_scheme()),
        os.path.join(own, "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{NAME} is in none of these folders: {', '.join(folders)}")


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    return "nt_user" if os.name == "nt" else "posix_user"

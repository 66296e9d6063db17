"""Opatlas, the operator registry for PyTorch-style backends.

The program is the command ``opatlas``; ``python -m opatlas`` runs it too.
"""

from ._program import program

__all__ = ["program"]

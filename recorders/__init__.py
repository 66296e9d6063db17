"""Records what real releases of PyTorch do: the files of `tests/golden/` and the facts of `data/`."""

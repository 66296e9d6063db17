//! PyTorch releases: the minor line whose rules, keys, types, tags and name lists apply.

"""Calls of operators that neither a sample nor a schema gives arguments for: recurrent layers and the like."""

from collections.abc import Callable

import torch

_TIMES, _BATCH, _IN, _OUT = 4, 2, 3, 5


def _layer(kind: type, **options: object) -> Callable[[str], object]:
    def call(device: str) -> object:
        layer = kind(_IN, _OUT, num_layers=2, **options).to(device)
        return layer(torch.ones(_TIMES, _BATCH, _IN).to(device))

    return call


def _packed(kind: type) -> Callable[[str], object]:
    def call(device: str) -> object:
        given = torch.ones(_TIMES, _BATCH, _IN).to(device)
        packed = torch.nn.utils.rnn.pack_padded_sequence(given, torch.tensor([_TIMES, 2]))
        result, _ = kind(_IN, _OUT).to(device)(packed)
        return torch.nn.utils.rnn.pad_packed_sequence(result)

    return call


def _cell(kind: type) -> Callable[[str], object]:
    return lambda device: kind(_IN, _OUT).to(device)(torch.ones(_BATCH, _IN).to(device))


def _bag(mode: str) -> Callable[[str], object]:
    return lambda device: torch.nn.EmbeddingBag(_IN, _OUT, mode=mode).to(device)(
        torch.tensor([0, 1, 2, 1]).to(device), torch.tensor([0, 2]).to(device))


def _affine_grid(device: str) -> object:
    return torch.nn.functional.affine_grid(torch.ones(1, 2, 3).to(device), [1, 1, 2, 2], align_corners=False)


def _conv_tbc(device: str) -> object:
    return torch.conv_tbc(torch.ones(_TIMES, _BATCH, _IN).to(device), torch.ones(2, _IN, _OUT).to(device),
                          torch.ones(_OUT).to(device))


def _rounded(device: str) -> object:
    given = torch.ones(_IN).to(device)
    return given.div(2.0, rounding_mode="floor"), given.div_(2.0, rounding_mode="trunc"), given.clip_(0.0, 1.0)


def _dual(device: str) -> object:
    given = torch.ones(_IN).to(device)
    with torch.autograd.forward_ad.dual_level():
        return torch.ops.aten._make_dual(given, torch.ones(_IN).to(device), level=0)


CALLS: dict[str, Callable[[str], object]] = {
    **{f"layer-{kind.__name__}": _layer(kind) for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)},
    "layer-RNN-relu": _layer(torch.nn.RNN, nonlinearity="relu"),
    "layer-LSTM-bidirectional": _layer(torch.nn.LSTM, bidirectional=True),
    **{f"packed-{kind.__name__}": _packed(kind) for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)},
    **{f"cell-{kind.__name__}": _cell(kind) for kind in (torch.nn.LSTMCell, torch.nn.GRUCell, torch.nn.RNNCell)},
    **{f"bag-{mode}": _bag(mode) for mode in ("sum", "mean", "max")},
    "affine-grid": _affine_grid,
    "conv-tbc": _conv_tbc,
    "rounded": _rounded,
    "dual": _dual,
}

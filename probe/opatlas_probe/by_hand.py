"""Arguments written by hand, for operators that take none of those made from their schema.

Each operator has one or more calls: positional arguments in order, then keywords as a dict. Tensors are
moved to the device, except those that must stay on the CPU (`Host`).
"""

import torch

_MASK = [True, True, True]
_FLOAT64 = torch.float64


class Host:
    """A tensor that stays on the CPU."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


def _ones(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype)


def _eye(size: int) -> torch.Tensor:
    return torch.eye(size) * 2


def _ints(*values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def _out(dtype: torch.dtype = torch.float32) -> dict:
    return {"out": torch.empty(0, dtype=dtype)}


def _layout(layout: torch.layout) -> dict:
    return {"layout": layout, "device": "cpu", "dtype": torch.float32}


_LEAF = torch.tensor(1.0, requires_grad=True)
_IMAGE, _IMAGE_WEIGHT = _ones(1, 2, 4, 4), _ones(2, 2, 3, 3)
_VOLUME, _VOLUME_WEIGHT = _ones(1, 2, 4, 4, 4), _ones(2, 2, 3, 3, 3)
_CONVOLUTION = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
_BATCH = _ones(2, 3, 4, 4)
_NORM = (_ones(3), _ones(3), _ones(3), _ones(3))
_CELL = _ones(2, 3)
_PLACES = _ints([0, 1], [1, 0])
_COMPRESSED = (_ints(0, 1, 2), _ints(0, 1))
_ROWS, _BLOCKS = (*_COMPRESSED, _ones(2)), (*_COMPRESSED, _ones(2, 1, 1))
_OUTPUTS = {"out": [torch.empty(2), torch.empty(2)]}
_LISTS = ([_ones(2), _ones(2)], [_ones(2), _ones(2)], [_ones(2), _ones(2)], Host(_ones(2)))
_RANGE = {"min": 1, "max": 5}
_LSTM = (_ones(2, 12), _ones(2, 12))
_LAYER = [_ones(5, 3), _ones(5, 5), _ones(5), _ones(5)]
_QUANTIZED = (_ones(1), torch.zeros(1, dtype=torch.int32))
_SWITCH = _ints(1)
_FORMATS = {"csr": torch.sparse_csr, "csc": torch.sparse_csc, "bsr": torch.sparse_bsr, "bsc": torch.sparse_bsc}
_POINTERS = {"csr": "crow_col_value", "csc": "ccol_row_value", "bsr": "crow_col_value", "bsc": "ccol_row_value"}

ARGUMENTS: dict[str, list[tuple]] = {
    # Automatic differentiation, and what a tensor is.
    "_backward": [(_LEAF, [])],
    "retain_grad": [(_LEAF,)],
    "set_data": [(_ones(3), _ones(3))],
    "_reshape_from_tensor": [(_ones(3, 4), _ints(4, 3))],
    "as_strided_scatter": [(_ones(4), _ones(2), [2], [1])],
    "repeat_interleave.Tensor": [(_ints(1, 2), {"output_size": 3})],
    "unflatten_dense_tensors": [(_ones(6), [_ones(2), _ones(4)])],
    "_add_batch_dim": [(_ones(2, 3), 0, 1)],
    "_remove_batch_dim": [(_ones(2, 3), 1, 3, 0)],
    # Assertions.
    "_print": [("",)],
    "_assert_scalar": [(1, "message")],
    "_functional_assert_scalar": [(1, "message", _ones(1))],
    "_assert_tensor_metadata": [(_ones(3, 3), [3, 3], [3, 1], torch.float32)],
    "sym_constrain_range": [(3,), (3, _RANGE)],
    "sym_constrain_range_for_size": [(3,), (3, {"min": 2, "max": 5})],
    "_functional_sym_constrain_range": [(3, 1, 5, _ones(1))],
    "_functional_sym_constrain_range_for_size": [(3, 2, 5, _ones(1))],
    "_use_cudnn_rnn_flatten_weight": [()],
    "_nnpack_available": [()],
    "is_vulkan_available": [()],
    # Convolutions.
    "_convolution.deprecated": [(_IMAGE, _IMAGE_WEIGHT, _ones(2), *_CONVOLUTION, False, False, False)],
    "_convolution_double_backward": [
        (_IMAGE, _IMAGE_WEIGHT, _ones(2), _ones(1, 2, 2, 2), _IMAGE_WEIGHT, _IMAGE, *_CONVOLUTION, _MASK),
        (_IMAGE, None, None, _ones(1, 2, 2, 2), _IMAGE_WEIGHT, _IMAGE, *_CONVOLUTION, _MASK)],
    "conv_tbc_backward": [(_ones(3, 2, 5), _ones(4, 2, 3), _ones(2, 3, 5), _ones(5), 0)],
    "_nnpack_spatial_convolution": [(_IMAGE, _IMAGE_WEIGHT, None, [0, 0], [1, 1])],
    "slow_conv3d": [(_VOLUME, _VOLUME_WEIGHT, [3, 3, 3]), (_VOLUME, _VOLUME_WEIGHT, [3, 3, 3], _ones(2))],
    "slow_conv3d.out": [(_VOLUME, _VOLUME_WEIGHT, [3, 3, 3], _out())],
    "thnn_conv2d": [(_IMAGE, _IMAGE_WEIGHT, [3, 3]), (_IMAGE, _IMAGE_WEIGHT, [3, 3], _ones(2))],
    "thnn_conv2d.out": [(_IMAGE, _IMAGE_WEIGHT, [3, 3], _out())],
    # Normalization.
    "_batch_norm_impl_index_backward": [
        (0, _BATCH, _BATCH, *_NORM, _ones(3), True, 1e-5, _MASK, torch.empty(0, dtype=torch.uint8))],
    "_native_batch_norm_legit_no_training": [(_BATCH, *_NORM, 0.1, 1e-5)],
    "_weight_norm_differentiable_backward": [(_ones(3, 4), _ones(3, 4), _ones(3, 1), _ones(3, 1), 0)],
    # Images.
    "_grid_sampler_2d_cpu_fallback": [(_ones(1, 1, 3, 3), _ones(1, 2, 2, 2), 0, 0, False)],
    "_grid_sampler_2d_cpu_fallback_backward": [
        (_ones(1, 1, 2, 2), _ones(1, 1, 3, 3), _ones(1, 2, 2, 2), 0, 0, False)],
    "affine_grid_generator_backward": [(_ones(1, 2, 2, 2), [1, 1, 2, 2], False),
                                       (_ones(1, 2, 2, 2, 3), [1, 1, 2, 2, 2], False)],
    "_upsample_bicubic2d_aa.vec": [(_IMAGE, [2, 2], False, None), (_IMAGE, None, False, [0.5, 0.5])],
    "_upsample_lanczos2d_aa.vec": [(_IMAGE, [2, 2], False, None), (_IMAGE, None, False, [0.5, 0.5])],
    "_pad_enum": [(_ones(1, 2, 3), [1, 1], mode) for mode in range(4)],
    # Embeddings.
    "embedding_bag": [(_ones(4, 3), _ints(0, 1, 2, 3), _ints(0, 2), False, mode) for mode in range(3)]
                     + [(_ones(4, 3), _ints(0, 1, 2, 3), _ints(0, 2), False, 0, False, _ones(4), False)],
    "_embedding_bag_sparse_backward": [
        (_ones(2, 3), _ints(0, 1, 2), _ints(0, 2), _ints(0, 0, 1), _ints(2, 1), 4, False, 0, None)],
    "embedding_sparse_backward": [(_ones(2, 3), _ints(0, 1), 4, -1, False)],
    "_gather_sparse_backward": [(_ones(2, 2), 0, _PLACES, _ones(2, 2))],
    "_rowwise_prune": [(_ones(3, 4), _ones(3, dtype=torch.bool), torch.int32)],
    # Recurrent layers.
    "rnn_relu.data": [(_ones(6, 3), Host(_ints(2, 2, 1, 1)), _ones(1, 2, 5), _LAYER, True, 1, 0.0, False, False)],
    "_pack_padded_sequence_backward": [(_ones(6, 3), [4, 2, 3], Host(_ints(2, 2, 1, 1)), False)],
    "_thnn_differentiable_gru_cell_backward": [
        (_CELL, _ones(2, 9), _ones(2, 9), _CELL, _ones(9), _ones(9)),
        (_CELL, _ones(2, 9), _ones(2, 9), _CELL, None, None)],
    "_thnn_differentiable_lstm_cell_backward": [
        (_CELL, _CELL, *_LSTM, _ones(12), _ones(12), _CELL, _CELL), (_CELL, _CELL, *_LSTM, None, None, _CELL, _CELL)],
    "_thnn_fused_lstm_cell_backward": [(_CELL, _CELL, _CELL, _CELL, _ones(2, 12), True)],
    # Arithmetic.
    **{f"{name}.Scalar_mode": [(_ones(3), 2, {"rounding_mode": mode}) for mode in ("floor", "trunc", None)]
       for name in ("div", "div_", "divide", "divide_")},
    "clip.out": [(_ones(3), 0, 1, _out()), (_ones(3), 0, None, _out())],
    "float_power.Scalar_out": [(2, _ones(3), _out(_FLOAT64))],
    "float_power.Tensor_Scalar_out": [(_ones(3), 2, _out(_FLOAT64))],
    "float_power_.Scalar": [(_ones(3, dtype=_FLOAT64), 2)],
    "float_power_.Tensor": [(_ones(3, dtype=_FLOAT64), _ones(3))],
    **{f"_foreach_addc{kind}.Tensor": [_LISTS] for kind in ("div", "div_", "mul", "mul_")},
    "gradient.tensorarrayint": [(_ones(3, 3), {"spacing": [_ints(0, 1, 2)], "dim": 0})],
    "infinitely_differentiable_gelu_backward": [(_ones(3), _ones(3))],
    "matrix_exp_backward": [(_eye(3), _eye(3))],
    "norm.ScalarOpt_dtype": [(_ones(3), power, {"dtype": _FLOAT64}) for power in (2, 1, None)],
    **{f"linalg_norm.{name}": [(_eye(3), order, *out) for order in ("fro", "nuc")]
       for name, out in (("ord_str", ()), ("ord_str_out", (_out(),)))},
    **{f"linalg_cond.{name}": [(_eye(3), order, *out) for order in ("fro", "nuc")]
       for name, out in (("p_str", ()), ("p_str_out", (_out(),)))},
    "_grouped_mm": [(_ones(2, 8, 8, dtype=torch.bfloat16), _ones(2, 8, 8, dtype=torch.bfloat16))],
    "split_copy.Tensor_out": [(_ones(4), 2, _OUTPUTS)],
    "tensor_split.tensor_indices_or_sections": [(_ones(6), Host(torch.tensor(2))), (_ones(6), Host(_ints(1, 3)))],
    "set_.source_Tensor_storage_offset": [(_ones(3), _ones(3), 0, [3], [1])],
    # Losses.
    "multilabel_margin_loss.out": [(_ones(4), _ints(0, 1, -1, 0), _out())],
    "nll_loss.out": [(_ones(2, 3), _ints(0, 1), _out())],
    "nll_loss2d.out": [(_ones(2, 3, 2, 2), torch.zeros(2, 2, 2, dtype=torch.int64), _out())],
    # Random numbers.
    "randint.low_out": [(0, 5, [3], _out())],
    "randint.low_generator": [(0, 5, [3], {"generator": None, "device": "cpu"})],
    "randint.low_generator_out": [(0, 5, [3], {"generator": None, **_out()})],
    "randint_like.low_generator_dtype": [(_ones(3), 0, 5, {"generator": None})],
    "randint_like.Tensor": [(_ones(3), Host(torch.tensor(5)))],
    "randint_like.Tensor_generator": [(_ones(3), Host(torch.tensor(5)), {"generator": None})],
    "_sobol_engine_draw": [
        (torch.zeros(2, dtype=torch.int64), 3, torch.zeros(2, 30, dtype=torch.int64), 2, 0, torch.float32)],
    "_sobol_engine_ff_": [(torch.zeros(2, dtype=torch.int64), 3, torch.zeros(2, 30, dtype=torch.int64), 2, 0)],
    "_sobol_engine_scramble_": [
        (torch.zeros(2, 30, dtype=torch.int64), torch.ones(2, 30, 30, dtype=torch.int64).tril(), 2)],
    "_sobol_engine_initialize_state_": [(torch.zeros(2, 30, dtype=torch.int64), 2)],
    # Quantization.
    "fake_quantize_per_tensor_affine": [(_ones(3, 3), 0.1, 0, 0, 255)],
    "fake_quantize_per_tensor_affine.tensor_qparams": [(_ones(3, 3), *_QUANTIZED, 0, 255)],
    "fake_quantize_per_tensor_affine_cachemask_backward": [(_ones(3), _ones(3, dtype=torch.bool))],
    "fake_quantize_per_channel_affine": [(_ones(3, 3), _ones(3), torch.zeros(3, dtype=torch.int32), 0, 0, 255)],
    "fake_quantize_per_channel_affine_cachemask_backward": [(_ones(3), _ones(3, dtype=torch.bool))],
    "fused_moving_avg_obs_fake_quant": [
        (_ones(3, 3), _SWITCH, _SWITCH, _ones(1), _ones(1), *_QUANTIZED, 0.1, 0, 255, 0, False, False)],
    "fbgemm_linear_quantize_weight": [(_ones(3, 4),)],
    "fbgemm_pack_gemm_matrix_fp16": [(_ones(3, 4),)],
    "fbgemm_pack_quantized_matrix": [(_ones(3, 4, dtype=torch.int8),)],
    "fbgemm_pack_quantized_matrix.KN": [(_ones(3, 4, dtype=torch.int8), 3, 4)],
    "_wrapped_linear_prepack": [(_ones(3, 4), _ones(1), torch.zeros(1, dtype=torch.int32), _ones(3))],
    # Sparse results, and the checks of their parts.
    "to_dense_backward": [(_ones(3, 3), _ones(3, 3))],
    "to_mkldnn_backward": [(_ones(3, 3), _ones(3, 3))],
    **{f"to_sparse_{kind}": [(_ones(4, 4), [2, 2])] for kind in ("bsr", "bsc")},
    "_nested_tensor_from_tensor_list": [([_ones(2), _ones(3)],)],
    "_propagate_xla_data": [(_ones(2), _ones(2))],
    "sparse_coo_tensor.size": [([2, 2], _layout(torch.sparse_coo))],
    "sparse_coo_tensor.indices": [(_PLACES, _ones(2))],
    "sparse_coo_tensor.indices_size": [(_PLACES, _ones(2), [2, 2])],
    "_sparse_coo_tensor_unsafe": [(_PLACES, _ones(2), [2, 2])],
    "sparse_compressed_tensor.comp_plain_value": [(*_ROWS, _layout(torch.sparse_csr))],
    "sparse_compressed_tensor.comp_plain_value_size": [(*_ROWS, [2, 2], _layout(torch.sparse_csr))],
    "_sparse_compressed_tensor_with_dims": [(2, 0, [2, 2], [], torch.int64, _layout(torch.sparse_csr))],
    "_validate_sparse_coo_tensor_args": [(_PLACES, _ones(2), [2, 2])],
    "_validate_sparse_compressed_tensor_args": [(*_ROWS, [2, 2], torch.sparse_csr)],
    **{f"sparse_{kind}_tensor.{_POINTERS[kind]}": [(*parts, _layout(_FORMATS[kind]))]
       for kind, parts in (("csr", _ROWS), ("csc", _ROWS), ("bsr", _BLOCKS), ("bsc", _BLOCKS))},
    **{f"_validate_sparse_{kind}_tensor_args": [(*parts, [2, 2])]
       for kind, parts in (("csr", _ROWS), ("csc", _ROWS), ("bsr", _BLOCKS), ("bsc", _BLOCKS))},
}


def arguments(name: str) -> list[tuple[list, dict]]:
    """The positional arguments and keywords of each call; none for most operators."""
    found = []
    for given in ARGUMENTS.get(name, ()):
        keywords = given[-1] if given and isinstance(given[-1], dict) else {}
        found.append((list(given[:len(given) - bool(keywords)]), keywords))
    return found

"""Which of a machine's devices this worker uses."""

import os

_CUDA = "cuda"


def of_worker(name: str) -> str:
    """The device of this worker. torchrun's LOCAL_RANK chooses among those of the machine; only CUDA has several."""
    if name != _CUDA:
        return name
    import torch  # noqa: PLC0415: the tests have a double of it

    return f"{_CUDA}:{int(os.environ.get('LOCAL_RANK', '0')) % max(torch.cuda.device_count(), 1)}"


def use(place: str) -> str:
    """Makes a device that of this process, also for calls that name none. Returns its type."""
    kind, _, number = place.partition(":")
    if kind == _CUDA and number:
        import torch  # noqa: PLC0415

        torch.cuda.set_device(int(number))
    return kind

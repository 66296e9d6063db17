"""What ends a worker with a message for people.

It is an exception, and not `SystemExit`: the error record of `torch.distributed.elastic`, which
torchrun's summary shows, contains exceptions only.
"""

USAGE = 2


class Failure(Exception):  # noqa: N818: its text is for people
    """The probe cannot go on: what is wrong, and what to do."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status

"""What is compared: two programs, before an edit and after it."""
import typing

SIDES = ("before", "after")


class Pair(typing.NamedTuple):
    """Two programs of one signature, or of two. A program is one function, or several that are compiled apart and called in a row."""
    name: str
    what: str
    before: typing.Any
    after: typing.Any
    args: tuple
    after_args: tuple
    carry: bool = False  # the first result of a step is the first argument of the next
    donate: tuple = ((), ())  # the arguments that before and after donate
    x64: bool = False

"""Errors of epsfree.

Every error that the library knows of is an :class:`Error`; each kind is also one of Python's own, so
that ``except ValueError`` and ``except OSError`` work as well.
"""


class Error(Exception):
    """The base of all errors of epsfree, and a defect of epsfree itself where it is raised as such."""


class InputError(Error, ValueError):
    """An argument, a problem file or a data file is wrong; the message names it, its value and what
    was expected.

    >>> import epsfree
    >>> try:
    ...     epsfree.Uniform(1, 0)
    ... except ValueError as error:
    ...     print(type(error).__name__)
    InputError
    """


class FileError(Error, OSError):
    """The operating system refused: a missing file, no permission, a full disk."""


class StoppedError(Error, RuntimeError):
    """A run stopped itself: too many simulations failed, or a time limit was reached."""


class Interrupted(KeyboardInterrupt):
    """A run was stopped by its user."""


class SimulationStopped(BaseException):
    """Raised in a simulator that runs when its run is stopped. Not for users to catch."""


class EpsfreeWarning(UserWarning):
    """Something about a result that its user should know."""


class CheckWarning(EpsfreeWarning):
    """An answer did not pass its checks: it may be wrong. ``warnings.simplefilter("error",
    epsfree.CheckWarning)`` makes it an error."""

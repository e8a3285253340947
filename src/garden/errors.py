"""The errors that garden raises on purpose.

Each carries one line that says what is wrong, where, and what to do. The command line prints
that line and exits with code 2; library users catch :class:`GardenError`.
"""


class GardenError(Exception):
    """Something about the input, the data or the request that the user can put right."""


class GraphError(GardenError):
    """A graph that is not what it must be, or a node that is not in it."""


class DataError(GardenError):
    """A file, a folder or a download that cannot be read as a graph."""


class SpecError(GardenError):
    """A graph, strategy or memory name that means nothing here."""


class TaskError(GardenError):
    """A search task that cannot be made, read, or used with this graph."""


class StrategyError(GardenError):
    """A strategy that cannot work on what it was given."""


class ActionError(GardenError):
    """An action that the holder of the message cannot take."""


class MissingExtraError(GardenError, ImportError):
    """Something that needs a package which a plain install does not bring."""

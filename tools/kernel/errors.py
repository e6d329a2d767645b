# SPDX-License-Identifier: GPL-2.0
"""What is raised when a command cannot go on."""


class LabError(Exception):
    """A failure meant for a person: what failed, where, what to do."""


class Unavailable(LabError):
    """A source that cannot be had here and now; another one may do."""

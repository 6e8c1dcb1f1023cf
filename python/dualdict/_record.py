# SPDX-License-Identifier: BSD-3-Clause
"""Results by name."""

from typing import Any


class Record(dict):
    """A dict whose entries are attributes too: `record.energy.total` is `record["energy"]["total"]`.

    >>> from dualdict import Record
    >>> record = Record.of({"outcome": "CONVERGED", "energy": {"total": 2.5}})
    >>> record.outcome, record.energy.total
    ('CONVERGED', 2.5)
    """

    @classmethod
    def of(cls, value: Any) -> Any:
        """Dicts at any depth of dicts and lists become records."""
        if isinstance(value, dict):
            return cls((key, cls.of(entry)) for key, entry in value.items())
        if isinstance(value, list):
            return [cls.of(entry) for entry in value]
        return value

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the record has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

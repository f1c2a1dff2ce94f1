"""What a run did and what it cost: a dictionary, as summary.json has it, that prints itself."""
from __future__ import annotations

from typing import Any, Dict

from . import display


class Summary(Dict[str, Any]):
    """The summary of a run (docs/formats.md): `summary["simulations"]["total"]`, ...

    >>> import epsfree
    >>> posterior = epsfree.infer("mixture", num_simulations=200, seed=1)
    >>> posterior.summary["simulations"]["total"] <= 200
    True
    """

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """One dictionary per round, the final one last."""
        return self.get("rounds", [])

    @property
    def warnings(self) -> list[str]:
        """What the user should know."""
        return self.get("warnings", [])

    def __repr__(self):
        counts = self.get("simulations", {})
        bad = counts.get("total", 0) - counts.get("ok", 0)
        lines = [f"method {self.get('method')}, seed {self.get('seed')}: "
                 f"{counts.get('total')} simulations{f' ({bad} not ok)' if bad else ''}, "
                 f"{self.get('seconds', {}).get('total', 0):.2f} s"]
        return "\n".join(lines + [f"warning: {text}" for text in self.warnings])

    def _repr_html_(self) -> str:
        first, *warnings = repr(self).split("\n")
        return display.table("Summary", [("run", first)] + [("warning", text.partition(": ")[2])
                                                            for text in warnings])

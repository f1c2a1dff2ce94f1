"""How objects show themselves in notebooks: small tables of HTML, without styles of their own."""
from __future__ import annotations

import html
from typing import Iterable, Sequence


def text(value: object) -> str:
    """A cell's content: numbers with four digits, the rest as it prints itself, escaped."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value), quote=True)


def table(title: str, rows: Iterable[Sequence[object]], header: Sequence[str] = (), note: str = "") -> str:
    """A table with a caption.

    >>> table("a < b", [("x", 1.23456)])
    '<table><caption>a &lt; b</caption><tbody><tr><th>x</th><td>1.235</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{text(name)}</th>" for name in header)
    body = "".join(f"<tr><th>{text(first)}</th>" + "".join(f"<td>{text(cell)}</td>" for cell in rest) + "</tr>"
                   for first, *rest in rows)
    return (f"<table><caption>{text(title)}</caption>"
            + (f"<thead><tr>{head}</tr></thead>" if header else "") + f"<tbody>{body}</tbody></table>"
            + (f"<p>{text(note)}</p>" if note else ""))

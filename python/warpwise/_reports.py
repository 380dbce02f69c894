"""Reports and tables: they print well, show as HTML in notebooks, and become dictionaries and pandas frames."""

from __future__ import annotations

import html
import json


class Table:
    """Records with the same fields.

    >>> import warpwise as ww
    >>> ww.ladder("vecadd").columns
    ['variant', 'device', 'idea', 'teaches']
    """

    def __init__(self, records, title=None, columns=None):
        self.records = list(records)
        self.title = title
        self.columns = columns or list(dict.fromkeys(key for record in self.records for key in record))

    def __len__(self):
        return len(self.records)

    def __iter__(self):
        return iter(self.records)

    def __getitem__(self, which):
        """A record by its number, or a column by its name."""
        if isinstance(which, str):
            return [record.get(which) for record in self.records]
        return self.records[which]

    def to_dict(self):
        """The columns, each a list."""
        return {column: self[column] for column in self.columns}

    def to_pandas(self):
        """A frame of pandas."""
        return _pandas().DataFrame(self.records, columns=self.columns)

    def __repr__(self):
        rows = [self.columns, *([_cell(record.get(column)) for column in self.columns] for record in self.records)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*([self.title] if self.title else []), lines[0], "-" * len(lines[0]), *lines[1:]])

    def _repr_html_(self):
        head = "".join(f"<th style='text-align:left'>{html.escape(column)}</th>" for column in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{html.escape(_cell(record.get(c)))}</td>" for c in self.columns)
            + "</tr>"
            for record in self.records
        )
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def plot(self, x=None, y=None, by=None, ax=None, logx=True, logy=True):
        """Curves of a column over another, one for each value of ``by``, with matplotlib. Returns the axes."""
        x = x or next((c for c in ("n", "rows", "block", "grid") if c in self.columns), self.columns[0])
        y = y or next(
            (c for c in ("gb_per_s", "median_ms", "warp_instructions") if any(v is not None for v in self[c])), None
        )
        by = by or ("variant" if "variant" in self.columns else None)
        if y is None:
            raise ValueError("y: there is no column of numbers to plot: name one")
        ax = ax or _pyplot().subplots()[1]
        for name in dict.fromkeys(self[by]) if by else [None]:
            chosen = [r for r in self.records if (by is None or r.get(by) == name) and r.get(y) is not None]
            if chosen:
                ax.plot([r[x] for r in chosen], [r[y] for r in chosen], marker="o", label=name)
        if logx:
            ax.set_xscale("log", base=2)
        if logy:
            ax.set_yscale("log")
        ax.set_xlabel(x)
        ax.set_ylabel(y.replace("_per_", "/").replace("_", " "))
        ax.grid(True, which="both", alpha=0.3)
        if by:
            ax.legend()
        if self.title:
            ax.set_title(self.title)
        return ax


def _cell(value):
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs pandas: pip install pandas") from None
    return pandas


def _pyplot():
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from None
    return pyplot


class Report:
    """What the laboratory says about a launch."""

    def __init__(self, views):
        self._views = views
        self._data = json.loads(views["json"])

    def to_dict(self):
        """Everything, as the command line's JSON has it."""
        return self._data

    def __str__(self):
        return self._views["text"].rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        return f"<pre style='line-height:1.25'>{html.escape(str(self))}</pre>"

    def to_pandas(self):
        """A frame of pandas: one row for each finding, line or counter."""
        return self._table().to_pandas()

    def _table(self):
        return Table([self._data])

    @property
    def notes(self):
        """What there is to say beside results."""
        return self._data.get("warnings", [])


class Counters(dict):
    """The counters of a launch: by their names, as items and as attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no counter {name!r}: there are {', '.join(self)}") from None

    def to_dict(self):
        """A plain dictionary."""
        return dict(self)

    def _table(self):
        return Table([{"counter": name, "value": value} for name, value in self.items()])

    def to_pandas(self):
        """A frame of pandas with a row for each counter."""
        return self._table().to_pandas()

    def __repr__(self):
        return repr(self._table())

    def _repr_html_(self):
        return self._table()._repr_html_()


class Run(Report):
    """A run of a kernel."""

    @property
    def ok(self):
        """Whether it ended without an error."""
        return self._data["ok"]

    @property
    def time_ms(self):
        """How long the launch took: on the emulator, the time of the emulation."""
        return self._data.get("time_ms")

    @property
    def printed(self):
        """What the kernel printed."""
        return self._data.get("printed", "")

    @property
    def counters(self):
        """What was counted, on the emulator."""
        return Counters(self._data.get("counters", {}))

    @property
    def findings(self):
        """What is wrong with the kernel."""
        return self._data["findings"]

    def _table(self):
        return Table(self.findings) if self.findings else self.counters._table()


class Check(Report):
    """What checks of a launch found. True if they found nothing."""

    @property
    def ok(self):
        """Whether there is no error among the findings; warnings may be."""
        return self._data["ok"]

    @property
    def findings(self):
        """What was found: each with its kind, severity, line and message."""
        return self._data["findings"]

    @property
    def counters(self):
        """What was counted."""
        return Counters(self._data.get("counters", {}))

    @property
    def sarif(self):
        """The findings as SARIF, for code hosts."""
        return json.loads(self._views["sarif"])

    def __bool__(self):
        return not self.findings

    def __len__(self):
        return len(self.findings)

    def _table(self):
        fields = ["severity", "kind", "file", "line", "message", "count"]
        return Table(({key: finding.get(key) for key in fields} for finding in self.findings), columns=fields)

    def _repr_html_(self):
        if not self.findings:
            return "<p style='color:#1a7f37'>✓ nothing found</p>"
        return super()._repr_html_()


class Explanation(Report):
    """Why a kernel takes the time that it takes, on the GPU that was asked about."""

    @property
    def estimated_us(self):
        """The time that the model expects, in microseconds."""
        return self._data["estimated_us"]

    @property
    def diagnoses(self):
        """What costs most, with what to do about it."""
        return self._data["diagnoses"]

    @property
    def lines(self):
        """What every line of the source did."""
        return [line for kernel in self._data["kernels"] for line in kernel.get("lines", [])]

    def _table(self):
        return Table(self.lines)


class Watch(Report):
    """A kernel as a page that one steps through."""

    @property
    def page(self):
        """The page: a file that needs no network."""
        return self._views["html"]

    def save(self, file):
        """Writes the page."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.page)

    def _repr_html_(self):
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'

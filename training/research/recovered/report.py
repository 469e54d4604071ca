"""Prints what recovered.py found as tables, and draws it. See docs/recovered.md."""

from statistics import mean, stdev

FIGURES = "perplexity of raw calls", "macro F1 of who says a turn, in %"
COLOURS = "#1f77b4", "#ff7f0e", "#2ca02c"


def spread(values):
    return "-" if None in values else f"{mean(values):.1f} ± {stdev(values):.1f}"


def rows(found, technique):
    return [name for t, name in found if t == technique]


def tables(found, techniques):
    """found has, by technique ("" for none) and row, the figures of each seed."""
    for n, figure in enumerate(FIGURES):
        yield f"{figure}, by technique of masking:"
        yield "| adapted to | " + " | ".join(techniques) + " |"
        yield "|---|" + "--:|" * len(techniques)
        of = lambda technique, name: spread([f[n] for f in found[technique, name]])
        for name in ("no adaptation", "raw"):
            yield f"| {name} | " + " | ".join([of("", name)] * len(techniques)) + " |"
        for name in rows(found, techniques[0]):
            yield f"| {name} | " + " | ".join(of(t, name) for t in techniques) + " |"
    yield "calls that sotto anonymize wrote:"
    yield "| adapted to | " + " | ".join(FIGURES) + " |"
    yield "|---|--:|--:|"
    for name in rows(found, ""):
        yield f"| {name} | " + " | ".join(map(spread, zip(*found["", name]))) + " |"


def svg(found, techniques):
    """A bar with the perplexity of each row, by technique, with a dot for each seed."""
    bars = [(t, name, [f[0] for f in figures]) for (t, name), figures in found.items()]
    bars.sort(key=lambda b: ("", *techniques).index(b[0]))
    low, high = min(min(v) for *_, v in bars) * 0.95, max(max(v) for *_, v in bars)
    left, wide, step = 260, 420, 18
    x = lambda v: left + wide * (v - low) / (high - low)
    tall = 40 + step * len(bars)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 60} {tall}" font-family="sans-serif" font-size="11" role="img" '
           'aria-label="Perplexity of raw calls by what was learned">', f'<rect width="{left + wide + 60}" height="{tall}" fill="#fff"/>']
    for name in ("no adaptation", "raw"):
        at = x(mean(f[0] for f in found["", name]))
        out.append(f'<path d="M{at:.1f} 10V{tall - 25}" stroke="#999" stroke-dasharray="4"/>')
    for n, (technique, name, values) in enumerate(bars):
        y = 14 + step * n
        colour = COLOURS[techniques.index(technique)] if technique else "#777"
        out.append(f'<text x="{left - 6}" y="{y + 9}" text-anchor="end">{technique}{": " if technique else ""}{name}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{x(mean(values)) - left:.1f}" height="12" fill="{colour}"/>')
        out += [f'<circle cx="{x(v):.1f}" cy="{y + 6}" r="2"/>' for v in values]
        out.append(f'<text x="{left + wide + 8}" y="{y + 9}">{mean(values):.1f}</text>')
    out.append(f'<text x="{left}" y="{tall - 8}">perplexity of raw calls; lower is better; the axis begins at {low:.0f}</text>')
    return "\n".join([*out, "</svg>", ""])

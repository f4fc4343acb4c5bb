"""Draws the charts of docs/img from the figures in docs/results.md, each for light and dark screens.

python3 .ci/charts.py draws all charts. A build of the site draws those that are out of date, and warns."""

import logging
import math
import re
from pathlib import Path

CELL = re.compile(r"([\d.]+)x \(([\d.]+)–([\d.]+)\)")
WIDTH, LEFT, ROW, TOP, LOW, HIGH = 200, 190, 30, 64, 0.5, 6.0
THEMES = {
    "light": {"paper": "#ffffff", "ink": "#222222", "text": "#444444", "grid": "#dddddd", "axis": "#888888", "bar": "#3f51b5", "open": "#999999"},
    "dark": {"paper": "#1b1f27", "ink": "#eeeeee", "text": "#c3c7cf", "grid": "#3a404b", "axis": "#8a909b", "bar": "#9fa8da", "open": "#8a909b"},
}


def on_pre_build(config):
    docs = Path(config["docs_dir"])
    results = (docs / "results.md").read_text(encoding="utf-8")
    for name, draw in (("one-jvm", one_jvm), ("hold", hold)):
        for theme, colors in THEMES.items():
            chart = docs / "img" / f"{name}-{theme}.svg"
            drawn = draw(results, colors)
            if not chart.exists() or chart.read_text(encoding="utf-8") != drawn:
                chart.parent.mkdir(exist_ok=True)
                chart.write_text(drawn, encoding="utf-8")
                logging.getLogger("mkdocs.plugins.charts").warning("%s was not drawn from docs/results.md; it is now", chart)


def one_jvm(page, colors):
    """Ratios of throughput with their intervals, on a log axis."""
    rows = table(page, "One JVM")
    head, variants = rows[0], [row for row in rows[1:] if CELL.search(row[1])]
    # Two panels side by side, so that a phone's screen leaves the letters large enough.
    panel = ROW * len(variants) + 60
    svg = canvas(LEFT + WIDTH * 2, TOP + panel * (len(head) // 2) - 24, "Throughput against FOR UPDATE by hand, one JVM", colors)
    for column in range(1, len(head)):
        left, top = LEFT + WIDTH * ((column - 1) % 2), TOP + panel * ((column - 1) // 2)
        svg.append(f'<text x="{left}" y="{top - 8}" fill="{colors["text"]}">{head[column].strip()}</text>')
        for ratio in (0.5, 1, 2, 4):
            at, bottom = log(left, ratio), top + ROW * len(variants)
            svg.append(f'<line x1="{at}" x2="{at}" y1="{top}" y2="{bottom}" stroke="{colors["axis" if ratio == 1 else "grid"]}"/>')
            svg.append(f'<text x="{at}" y="{bottom + 18}" text-anchor="middle" fill="{colors["text"]}">{ratio}x</text>')
        for number, row in enumerate(variants):
            y = top + ROW * number + ROW // 2
            name = row[0].strip().replace("`", "")
            if column % 2:
                svg.append(f'<text x="{LEFT - 14}" y="{y + 5}" text-anchor="end" fill="{colors["ink"]}">{name}</text>')
            ratio, low, high = (float(value) for value in CELL.search(row[column]).groups())
            color = colors["open" if number == 0 or row[column][-1] in "~=" else "bar"]
            svg.append(f"<g><title>{name}, {head[column].strip()}: {row[column].strip()}</title>")
            svg.append(f'<line x1="{log(left, low)}" x2="{log(left, high)}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="4"/>')
            svg.append(f'<circle cx="{log(left, ratio)}" cy="{y}" r="5.5" fill="{color}"/></g>')
    return "\n".join(svg) + "\n</svg>\n"


def hold(page, colors):
    """How long each transaction holds the only row, over the network: a second divided by the transactions per second."""
    rows = {row[0]: row[2] for row in table(page, "One row") if len(row) > 2}
    by_hand = float(rows["by hand, tx/s"].replace(",", ""))
    times = {"FOR UPDATE by hand": 1} | {name: float(CELL.search(rows[name])[1]) for name in ("`ROW`", "writes with the commit", "`execute`")}
    millis = {name.replace("`", ""): 1000 / (by_hand * each) for name, each in times.items()}
    left = LEFT + 20
    svg = canvas(LEFT + WIDTH * 2, 50 + ROW * len(millis) + 10, "How long each transaction has the row: 90 clients, network", colors)
    for number, (name, each) in enumerate(millis.items()):
        y, long = 50 + ROW * number, round((WIDTH * 2 - 100) * each / max(millis.values()), 1)
        svg.append(f'<text x="{left - 14}" y="{y + 17}" text-anchor="end" fill="{colors["ink"]}">{name}</text>')
        svg.append(f'<rect x="{left}" y="{y + 2}" width="{long}" height="{ROW - 8}" fill="{colors["bar" if number else "open"]}"/>')
        svg.append(f'<text x="{left + long + 8}" y="{y + 17}" fill="{colors["text"]}">{each:.1f} ms</text>')
    return "\n".join(svg) + "\n</svg>\n"


def table(page, heading):
    """The cells of all tables in a section."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def canvas(width, height, title, colors):
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="16">',
        f'<rect width="{width}" height="{height}" rx="6" fill="{colors["paper"]}"/>',
        f'<text x="12" y="26" font-weight="bold" fill="{colors["ink"]}">{title}</text>',
    ]


def log(left, ratio):
    return round(left + (WIDTH - 20) * math.log(ratio / LOW) / math.log(HIGH / LOW), 1)


if __name__ == "__main__":
    on_pre_build({"docs_dir": Path(__file__).resolve().parent.parent / "docs"})

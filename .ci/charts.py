"""Draws docs/img/one-jvm.svg from the first table of docs/results.md: ratios with their intervals, on a log axis.

python3 .ci/charts.py draws it anew; so does a build of the site, with a warning."""

import logging
import math
import re
from pathlib import Path

CELL = re.compile(r"([\d.]+)x \(([\d.]+)–([\d.]+)\)")
WIDTH, LEFT, ROW, TOP, LOW, HIGH = 200, 190, 30, 64, 0.5, 6.0


def on_pre_build(config):
    docs = Path(config["docs_dir"])
    chart = docs / "img" / "one-jvm.svg"
    drawn = draw((docs / "results.md").read_text(encoding="utf-8"))
    if not chart.exists() or chart.read_text(encoding="utf-8") != drawn:
        chart.parent.mkdir(exist_ok=True)
        chart.write_text(drawn, encoding="utf-8")
        logging.getLogger("mkdocs.plugins.charts").warning("%s was not drawn from docs/results.md; it is now", chart)


def draw(page):
    rows = [line.strip("|").split("|") for line in page.split("## One JVM")[1].split("\n## ")[0].split("\n") if line.startswith("| ")]
    head, variants = rows[0], [row for row in rows[1:] if CELL.search(row[1])]
    # Two panels side by side, so that a phone's screen leaves the letters large enough.
    panel = ROW * len(variants) + 60
    width, height = LEFT + WIDTH * 2, TOP + panel * (len(head) // 2)
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="16">',
        f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>',
        '<text x="12" y="26" font-weight="bold" fill="#222">Throughput against FOR UPDATE by hand, one JVM</text>',
    ]
    for column in range(1, len(head)):
        left, top = LEFT + WIDTH * ((column - 1) % 2), TOP + panel * ((column - 1) // 2)
        svg.append(f'<text x="{left}" y="{top - 8}" fill="#444">{head[column].strip()}</text>')
        for ratio in (0.5, 1, 2, 4):
            at, bottom = x(left, ratio), top + ROW * len(variants)
            svg.append(f'<line x1="{at}" x2="{at}" y1="{top}" y2="{bottom}" stroke="{"#888" if ratio == 1 else "#ddd"}"/>')
            svg.append(f'<text x="{at}" y="{bottom + 18}" text-anchor="middle" fill="#444">{ratio}x</text>')
        for number, row in enumerate(variants):
            y = top + ROW * number + ROW // 2
            if column % 2:
                name = row[0].strip().replace("`", "")
                svg.append(f'<text x="{LEFT - 14}" y="{y + 5}" text-anchor="end" fill="#222">{name}</text>')
            ratio, low, high = (float(value) for value in CELL.search(row[column]).groups())
            color = "#999" if number == 0 or "~" in row[column] else "#3f51b5"
            svg.append(f'<line x1="{x(left, low)}" x2="{x(left, high)}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="4"/>')
            svg.append(f'<circle cx="{x(left, ratio)}" cy="{y}" r="5.5" fill="{color}"/>')
    return "\n".join(svg) + "\n</svg>\n"


def x(left, ratio):
    return round(left + (WIDTH - 20) * math.log(ratio / LOW) / math.log(HIGH / LOW), 1)


if __name__ == "__main__":
    on_pre_build({"docs_dir": Path(__file__).resolve().parent.parent / "docs"})

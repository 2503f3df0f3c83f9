"""The chart of docs/BENCHMARKS.md: CPU seconds of each contender as bars."""

import html

WIDTH, LEFT, RIGHT, ROW, TOP = 760, 190, 190, 34, 44
COLOURS = {"bot": "#2563eb", "floor": "#94a3b8"}
OTHER = "#cbd5e1"
STYLE = ("text { font: 13px system-ui, sans-serif; fill: #334155 } .title { font-weight: 600 } "
         "@media (prefers-color-scheme: dark) { text { fill: #cbd5e1 } }")


def svg(title, bars):
    """`bars`: kind, name, CPU seconds, what stands behind the bar."""
    height = TOP + ROW * len(bars) + 10
    most = max(seconds for _, _, seconds, _ in bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="12" y="24">{html.escape(title)}</text>',
    ]
    for n, (kind, name, seconds, remark) in enumerate(bars):
        y = TOP + ROW * n
        length = (WIDTH - LEFT - RIGHT) * seconds / most
        middle = y + ROW / 2 + 1
        lines += [
            f'<text x="{LEFT - 10}" y="{middle:.0f}" text-anchor="end">'
            f"{html.escape(name)}</text>",
            f'<rect x="{LEFT}" y="{y + 2}" width="{length:.1f}" height="{ROW - 12}" rx="3" '
            f'fill="{COLOURS.get(kind, OTHER)}"/>',
            f'<text x="{LEFT + length + 8:.1f}" y="{middle:.0f}">{seconds:.1f} s'
            f"{', ' + html.escape(remark) if remark else ''}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])

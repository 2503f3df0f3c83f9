"""axe-core in a page: what in it a person with a screen reader, or with weak eyes, stumbles over."""

from importlib import resources

_SCRIPT = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
_FAULTS = """() => axe.run(document).then(({ violations }) => violations.flatMap(
  ({ id, impact, nodes }) => nodes.map(({ target, html }) =>
    `${impact} ${id}: ${target.join(" ")} ${html.slice(0, 200)}`)))"""


def look(page, script=_FAULTS):
    """Runs a script that uses axe. `page`: whatever evaluates scripts, in any browser."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_SCRIPT)
    return page.evaluate(script)


def faults(page):
    """One line each; none for a page that is as it should be."""
    return look(page)

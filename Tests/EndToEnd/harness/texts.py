"""The sentences that pages and their server say to people, as they are in the sources, and the
files that have them in other languages."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]
WEB = ROOT / "Sources/HTTP/ControlAPI/Web"
SOURCES = ROOT / "Sources"
FOLDER = WEB / "assets/texts"

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
JOINED = rf"{LITERAL}(?:\s*\+\s*{LITERAL})*"
INLINE = {"<br>", "<code>", "</code>", "<kbd>", "</kbd>", "<strong>", "</strong>", "<em>", "</em>"}
OPAQUE = ("pre", "script", "style", "textarea")
ATTRIBUTE = re.compile(r'\s(title|aria-label|placeholder|alt|label|content)="([^"]*)"')
# The same in every language.
NAMES = {"Roomcast", "YAML", "JSON", "API", "API · Roomcast"}


class Unreadable(Exception):
    """A sentence that cannot be told from the source alone."""


def languages():
    """By language, each file's content."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))}


def of_script(text):
    """The sentences of `t`, `tn` and `tc` in a script; a plural's by its form for other numbers,
    those with a context behind it."""
    found = set()
    for call in re.finditer(r"(?<![\w.$])(t[nc]?)\(", text):
        first, rest = _argument(text, call.end())
        context = ""
        if call[1] == "tc":
            context = f"{_joined(first)}|"
            first, _ = _argument(text, rest)
        if call[1] == "tn":
            second, _ = _argument(text, rest)
            forms = dict(re.findall(rf"\b(one|other):\s*({JOINED})", second))
            if set(forms) != {"one", "other"}:
                raise Unreadable(second)
            found.add(_joined(forms["other"]))
            continue
        whole = re.fullmatch(JOINED, first)
        either = re.search(rf"\?\s*({JOINED})\s*:\s*({JOINED})$", first)
        if whole:
            found.add(context + _joined(first))
        elif either:
            found.update(context + _joined(one) for one in either.groups())
        elif "`" in first or re.match('["\']', first):
            raise Unreadable(first)
    return found


def of_page(html):
    """The sentences of a page's HTML, with the plain tags in them, and of its attributes."""
    found, text, at, context = set(), "", 0, ""
    html = re.sub(r"<!--.*?-->", "", html, flags=re.S)
    for tag in re.finditer(r'<(?:[^">]|"[^"]*")*>', html):
        if tag.start() < at:
            continue
        text += html[at:tag.start()]
        at = tag.end()
        if tag[0] in INLINE:
            text += tag[0]
            continue
        found.add(context + " ".join(text.split()))
        text = ""
        meaning = re.search(r'data-context="([^"]*)"', tag[0])
        context = f"{meaning[1]}|" if meaning else ""
        for name, value in ATTRIBUTE.findall(tag[0]):
            if name != "content" or 'name="description"' in tag[0]:
                found.add(" ".join(value.split()))
        opaque = next((name for name in OPAQUE if re.match(rf"<{name}[\s>]", tag[0])), None)
        if opaque:
            at = html.index(f"</{opaque}", at)
    return {one for one in found if re.search(r"[^\W\d_]", one.split("|")[-1])} - NAMES


def of_server(text):
    """The sentences of pages that the server makes itself."""
    found = set()
    for call in re.finditer(rf"\btexts(?:\(for: request\))?\(\s*({JOINED})", text):
        found.add(_joined(call[1]))
    for call in re.finditer(rf"\bWords\(\s*({JOINED}),\s*({JOINED})", text):
        found.update(map(_joined, call.groups()))
    return found


def server_files():
    """Those that make pages."""
    yield SOURCES / "HTTP/ControlAPI/APIError.swift"
    yield from sorted((SOURCES / "HTTP/ControlAPI/Pages").rglob("*.swift"))


def of_style(css):
    """Words that a style sheet would put into a page."""
    return {text for text in re.findall(rf"content:\s*({LITERAL})", css) if re.search(r"\w", text)}


def literals_of_server():
    """All that the server could say, to look up sentences that scripts pass on."""
    found = set()
    for file in SOURCES.rglob("*.swift"):
        found.update(map(_joined, re.findall(JOINED, file.read_text())))
    return found


def placeholders(text):
    return set(re.findall(r"\{\w+\}", text))


def tags(text):
    return sorted(re.findall(r"<[^>]*>", text))


def _joined(literals):
    parts = re.findall(LITERAL, literals)
    return "".join(re.sub(r"\\(u\{\w+\}|.)", _character, one[1:-1]) for one in parts)


def _character(escape):
    if escape[1].startswith("u{"):
        return chr(int(escape[1][2:-1], 16))
    return {"n": "\n", "t": "\t"}.get(escape[1], escape[1])


def _argument(text, start):
    """The argument that begins here, and the place behind it."""
    depth, at = 0, start
    while at < len(text):
        if text[at] in "\"'`":
            end = re.compile(rf"(?:[^{text[at]}\\]|\\.)*{text[at]}", re.S).match(text, at + 1)
            at = end.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and text[at] == ","):
            break
        at += 1
    return text[start:at].strip(), at + 1

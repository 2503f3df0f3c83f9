"""The languages of the pages: whether their files have every sentence, and no other."""

import json

import pytest
from harness import texts

LANGUAGES = texts.languages()


@pytest.fixture(scope="module")
def wanted():
    """All sentences, each with the file that says it."""
    found = {}
    for file in sorted(texts.WEB.rglob("*")):
        # It declares the functions.
        if file.name == "texts.js":
            continue
        if file.suffix == ".js":
            sentences = texts.of_script(file.read_text())
        elif file.suffix == ".html":
            sentences = texts.of_page(file.read_text())
        else:
            continue
        found.update({sentence: file.name for sentence in sentences})
    for file in texts.server_files():
        found.update({one: file.name for one in texts.of_server(file.read_text())})
    return found


def test_sentences_are_found_where_they_are():
    script = """t("A"); format("no"); at("no"); t(x); t("a " +\n "b", { c: t("C") });
      tn(n, { one: "{count} d", other: "{count} ds" }); tc("place", is ? "E" : "F"); t(`G` + x);"""
    with pytest.raises(texts.Unreadable):
        texts.of_script(script)
    assert texts.of_script(script.replace("t(`G` + x);", "")) == {
        "A", "a b", "C", "{count} ds", "place|E", "place|F"}
    page = """<html lang="en"><title>A</title><pre>no</pre><meta name="x" content="no">
      <p title="B">C <code>d</code>\n  e<br>f<span data-context="g">H</span>1 &middot; 2<i>Roomcast</i>
      <meta name="description" content="I"><!-- no <p>no</p> --></html>"""
    assert texts.of_page(page.replace("1 &middot; 2", "1 · 2")) == {
        "A", "B", "C <code>d</code> e<br>f", "g|H", "I"}
    server = """return texts(\n "A", [:]) ?? texts(for: request)("B")
      + Words("C", "d" + "\\" e") + other("no")"""
    assert texts.of_server(server) == {"A", "B", "C", 'd" e'}


def test_pages_have_no_entities():
    # Scripts and pages would have the same sentence twice.
    for file in texts.WEB.glob("*.html"):
        assert "&" not in file.read_text(), file


def test_styles_say_nothing():
    for file in texts.WEB.rglob("*.css"):
        assert texts.of_style(file.read_text()) == set(), file


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_translated(wanted, language):
    assert {one: file for one, file in wanted.items() if one not in LANGUAGES[language]} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_left_over(wanted, language):
    # Scripts also pass on what the server says of an error.
    server = texts.literals_of_server()
    assert [one for one in LANGUAGES[language] if one not in wanted and one not in server] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_same_names_and_tags(language):
    for english, translation in LANGUAGES[language].items():
        forms = translation if isinstance(translation, dict) else {"": translation}
        assert "other" in forms or "" in forms, english
        for form in forms.values():
            # "One hour" needs no number.
            extra = texts.placeholders(english) ^ texts.placeholders(form)
            assert extra <= ({"{count}"} if "other" in forms else set()), english
            assert texts.tags(english) == texts.tags(form), english
            assert form.strip() == form and form, english


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_sorted(language):
    # So that two who add a sentence each do not add it at the same place.
    file = texts.FOLDER / f"{language}.json"
    content = json.loads(file.read_text())
    assert file.read_text() == json.dumps(
        content, ensure_ascii=False, indent=2, sort_keys=True) + "\n"

"""The page's notices and its focus, without the server."""

def test_a_toast_can_be_read_and_dismissed_while_a_question_is_open(page):
    found = page.evaluate("""async () => {
      const { ask, dismissAll } = await import("/assets/common/dialog.js");
      const { toast } = await import("/assets/common/toasts.js");
      const inFront = (node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      };
      const shown = () => [...document.querySelectorAll(".toast")].map((node) => node.innerText.trim());
      toast("before");
      const answers = [ask({ title: "One?", confirm: "Yes" }), ask({ title: "Two?", confirm: "Yes" })];
      const region = [...document.querySelectorAll("dialog")].at(-1).querySelector("[role=status]");
      toast("meanwhile");
      const close = region.querySelector("button");
      const facts = [region.innerText.trim(), inFront(close), shown()];
      dismissAll();
      await Promise.all(answers);
      facts.push(shown(), document.querySelectorAll(".toasts").length);
      for (const node of document.querySelectorAll(".toast button")) node.click();
      return [...facts, shown()];
    }""")
    both = ["before", "meanwhile"]
    assert found == ["meanwhile", True, both, both, 1, []]


def with_toasts(steps):
    """The steps, with messages that are shown for 60 ms, if they are not kept."""
    return """async () => {
  const { toast } = await import("/assets/common/toasts.js");
  const real = window.setTimeout;
  const pause = (wait) => new Promise((resolve) => real.call(window, resolve, wait));
  window.setTimeout = (run, wait) => real.call(window, run, wait / 100);
  const texts = () => [...document.querySelectorAll(".toast")].map((node) => node.textContent);
  const button = (text) => [...document.querySelectorAll(".toast")]
    .find((node) => node.textContent === text)?.querySelector("button");
  const field = document.createElement("input");
  document.body.append(field);
  try { %s } finally {
    window.setTimeout = real;
    field.remove();
    for (const node of document.querySelectorAll(".toast")) node.remove();
  }
}""" % steps


def test_an_error_stays_until_it_is_dismissed_and_a_note_goes_by_itself(page):
    assert page.evaluate(with_toasts("""
      toast("note");
      toast("wrong", "error");
      await pause(500);
      const left = texts();
      toast("worse", "error");
      toast("wrong", "error"); // again: it stands there once
      return [left, texts()];
    """)) == [["wrong"], ["worse", "wrong"]]


def test_notes_give_way_first_and_never_to_the_cost_of_an_error(page):
    assert page.evaluate(with_toasts("""
      for (const text of ["e1", "e2"]) toast(text, "error");
      for (const text of ["n1", "n2", "n3"]) toast(text);
      const some = texts();
      for (const text of ["e3", "e4", "e5"]) toast(text, "error");
      const many = texts();
      for (const text of ["n4", "n5"]) toast(text);
      return [some, many, texts()];
    """)) == [["e1", "e2", "n2", "n3"], ["e2", "e3", "e4", "e5"], ["e2", "e3", "e4", "e5", "n5"]]


def test_a_note_stays_while_the_focus_is_on_it_which_then_goes_back(page):
    assert page.evaluate(with_toasts("""
      field.focus();
      toast("one");
      toast("two");
      button("one").focus();
      await pause(500);
      const kept = texts();
      button("one").click();
      const next = document.activeElement === button("two");
      button("two").click();
      return [kept, next, document.activeElement === field];
    """)) == [["one", "two"], True, True]


def test_the_focus_stays_on_what_is_moved(page):
    found = page.evaluate("""async () => {
      const { element, reconcile } = await import("/assets/common/dom.js");
      const list = element("div");
      document.body.append(list);
      const show = (...names) => reconcile(list, names, {
        key: (name) => name,
        create: (name) => element("p", {}, element("button", {}, name)),
        update: () => {},
      });
      const focused = [];
      const look = () => focused.push(document.activeElement.textContent);
      show("a", "b", "c");
      list.querySelectorAll("button")[2].focus();
      for (const order of [["c", "a", "b"], ["a", "b", "c"], ["b", "c", "d", "a"]]) {
        show(...order);
        look();
      }
      const other = element("button", {}, "other");
      document.body.append(other);
      other.focus();
      show("c", "b");
      look();
      list.remove();
      other.remove();
      return focused;
    }""")
    assert found == ["c", "c", "c", "other"]


def test_what_comes_at_once_is_announced_together(page):
    assert page.evaluate("""async () => {
      const { Announcer } = await import("/assets/common/announcer.js");
      const real = window.setTimeout;
      const later = [];
      window.setTimeout = (run) => later.push(run);
      try {
        const region = document.createElement("div");
        const announcer = new Announcer(region);
        const told = [];
        const look = () => told.push([...region.children].map((line) => line.textContent));
        announcer.say("Ben: one", "messages");
        look();
        const first = region.firstChild;
        for (const text of ["Ben: two", "Cleo: three"]) announcer.say(text, "messages");
        announcer.say("Ann asks: Lunch?");
        look();
        later.shift()();
        look();
        later.shift()(); // it was quiet for a while
        announcer.say("Ben: " + "x".repeat(999), "messages");
        announcer.say("Ben: four", "messages");
        told.push(region.textContent.length, later.length);
        later.shift()();
        look();
        return [told, region.contains(first)];
      } finally {
        window.setTimeout = real;
      }
    }""") == [[["Ben: one"], ["Ben: one"],
               ["2 messages, the last one: Cleo: three", "Ann asks: Lunch?"], 200, 1,
               ["Ben: four"]], False]


def with_a_list(steps):
    """The steps, with a list of rows, each with two controls, that shows what it is told to."""
    return """async () => {
  const { element, reconcile } = await import("/assets/common/dom.js");
  const list = element("ul", { id: "list" });
  document.body.append(list);
  const show = (...names) => reconcile(list, names, {
    key: (name) => name,
    create: (name) => element("li", {}, element("i", { tabindex: "-1" }), element("button", {},
      `see ${name}`), element("button", { "aria-haspopup": "menu" }, `menu ${name}`)),
    update: (row, name) => (row.lastChild.hidden = name.startsWith("_")),
  });
  const control = (text) => [...list.querySelectorAll("button")]
    .find((button) => button.textContent === text);
  const focused = () => document.activeElement !== document.body
    && (document.activeElement.id || document.activeElement.textContent);
  try { %s } finally { list.remove(); }
}""" % steps


def test_the_focus_of_what_goes_goes_to_the_same_control_of_what_is_in_its_place(page):
    assert page.evaluate(with_a_list("""
      const told = [];
      show("a", "b", "c", "_d");
      control("menu b").focus();
      for (const names of [["a", "c", "_d"], ["a", "_d"], ["_d", "a"], ["_d"], [], ["a"]]) {
        show(...names);
        told.push(focused());
      }
      return told;
    """)) == ["menu c", "see _d", "see _d", "see _d", "list", "list"]


def test_a_menu_and_a_question_give_the_focus_to_what_is_in_the_place_of_their_button(page):
    assert page.evaluate(with_a_list("""
      const { ask, dismissAll } = await import("/assets/common/dialog.js");
      const { closeOrphanedMenu, toggleMenu } = await import("/assets/common/menu.js");
      show("a", "b", "c");
      toggleMenu(control("menu b"), "b", [{ text: "do", drawing: "chat", run: () => {} }]);
      const told = [focused()];
      show("a", "c");
      closeOrphanedMenu();
      told.push(focused());
      const answer = ask({ title: "Sure?", confirm: "Yes" });
      show("a");
      dismissAll();
      await answer;
      told.push(focused());
      return told;
    """)) == ["do", "menu c", "menu a"]

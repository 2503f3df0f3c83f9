"""The room page as used by people who cannot see it or use a pointer: by keys, and by the roles and
names of the accessibility tree. The same for both browsers."""

from . import tokens
from .waiting import wait_for

TABS_MAXIMUM = 80
TIMEOUT = 60  # s

# Keeps the channels on which the server sends the page messages, so that a test can send some too.
KEEP_CHANNELS = """() => {
  window.channels = [];
  const listen = RTCPeerConnection.prototype.addEventListener;
  RTCPeerConnection.prototype.addEventListener = function (type, handler, ...more) {
    if (type !== "datachannel") return listen.call(this, type, handler, ...more);
    return listen.call(this, type, (event) => {
      window.channels.push(event.channel);
      handler(event);
    }, ...more);
  };
}"""
TELL = """(messages) => {
  for (const channel of window.channels) {
    for (const message of messages) {
      channel.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
    }
  }
}"""
# Keeps the sockets, so that a test can cut the page off.
KEEP_SOCKETS = """() => {
  window.sockets = [];
  window.WebSocket = class extends WebSocket {
    constructor(...options) {
      super(...options);
      window.sockets.push(this);
    }
  };
}"""
# Closes the socket, and presses a button before the page has reconnected.
CUT_OFF = """([id, isAtOnce]) => {
  const socket = window.sockets.at(-1);
  const press = () => document.getElementById(id).click();
  if (!isAtOnce) socket.addEventListener("close", press);
  socket.close();
  if (isAtOnce) press();
}"""
# Closes the socket at the next call of a method, which then gets no answer (only an open socket
# reads).
CUT_OFF_AT = """(method) => {
  const socket = window.sockets.at(-1);
  socket.send = (text) => {
    WebSocket.prototype.send.call(socket, text);
    if (JSON.parse(text).method === method) socket.close();
  };
}"""
# Keeps what screen readers are told: a status soon says something else.
KEEP_ANNOUNCEMENTS = """() => {
  window.announcements = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const status = (target.closest ? target : target.parentElement)?.closest("[role=status]");
      if (status) window.announcements.push(status.textContent);
    }
  }).observe(document, { childList: true, characterData: true, subtree: true });
}"""
FAKE_SCREEN = """() => {
  MediaDevices.prototype.getDisplayMedia = async () => {
    const canvas = document.createElement("canvas");
    canvas.getContext("2d").fillRect(0, 0, 9, 9);
    return canvas.captureStream();
  };
}"""
# Chromium reports errors of a page by itself.
KEEP_FAULTS = """() => {
  window.faults = [];
  addEventListener("error", ({ message }) => window.faults.push(message));
  addEventListener("unhandledrejection", ({ reason }) => window.faults.push(String(reason)));
}"""
# Asking Firefox about every element takes a second. The accessibility tree decides about these.
PERHAPS_NAMED = """(name) => [...document.querySelectorAll("body *")].filter((node) => {
  const titles = (node.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
  const named = [node, ...(node.labels ?? []), ...titles.map((id) => document.getElementById(id))];
  const texts = [node.ariaLabel, ...named.map((one) => one?.innerText)];
  return texts.some((text) => text?.replace(/\\s+/g, " ").trim() === name);
})"""
FOCUSED = """() => [document.activeElement].filter((node) => node !== document.body)"""
TEXTS = """(testID) => [...document.querySelectorAll(`[data-testid="${testID}"]`)]
  .filter((node) => node.getClientRects().length > 0).map((node) => node.textContent.trim())"""
CHOOSE = """([testID, value]) => {
  const list = document.querySelector(`[data-testid="${testID}"]`);
  list.value = value;
  if (list.value !== value) throw new Error(`${testID} has no ${value}`);
  list.dispatchEvent(new Event("change", { bubbles: true }));
}"""
ROLES_IN_FIREFOX = {"img": "image"}  # ARIA 1.3 has both names
WEBDRIVER_KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ",
    "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}


class RoomPage:
    """One page of a room; the part common to both browsers."""

    def look_in(self, server, room):
        """At the door, with no token and no name."""
        self.go(f"{server.base}/rooms/{room}")

    def enter(self, server, room, name, role):
        token = tokens.room_token(room, user=name.lower(), role=role)
        self.go(f"{server.base}/rooms/{room}?name={name}&auth_token={token}&skip_preview=true")
        self.wait_for("group", "Call controls", 90)

    def wait_for(self, role, name, timeout=TIMEOUT):
        wait_for(f"there is a {role} '{name}'", lambda: self.count(role, name) > 0, timeout)

    def wait_for_none(self, role, name):
        wait_for(f"there is no {role} '{name}'", lambda: self.count(role, name) == 0, TIMEOUT)

    def wait_for_focus(self, role, name):
        wait_for(f"the focus is on the {role} '{name}'",
                 lambda: self.is_focused(role, name), TIMEOUT)

    def tab_to(self, role, name):
        """By the Tab key alone."""
        self.wait_for(role, name)
        for _ in range(TABS_MAXIMUM):
            if self.is_focused(role, name):
                return
            self.press("Tab")
        raise AssertionError(f"{TABS_MAXIMUM} times Tab lead to no {role} '{name}'")

    def operate(self, role, name, key="Enter"):
        self.tab_to(role, name)
        self.press(key)

    def choose(self, menu_button, item):
        """Opens a menu and takes one of its items."""
        self.operate("button", menu_button)
        self.wait_for("menuitem", item)
        for _ in range(TABS_MAXIMUM):
            if self.is_focused("menuitem", item):
                break
            self.press("ArrowDown")
        self.press("Enter")

    def select(self, test_id, value):
        """The browser handles a list's keys, the page the selection."""
        self.evaluate(CHOOSE, [test_id, value])

    def options(self, test_id):
        return self.evaluate("""(testID) => [...document.querySelectorAll(
          `[data-testid="${testID}"] option`)].map((option) => option.value)""", test_id)

    def value(self, test_id):
        return self.evaluate(
            "(testID) => document.querySelector(`[data-testid=\"${testID}\"]`).value", test_id)

    def texts(self, test_id):
        """Of all that is shown with this `data-testid`."""
        return self.evaluate(TEXTS, test_id)

    def wait_for_text(self, test_id, text):
        wait_for(f"{test_id} says '{text}'",
                 lambda: any(text in one for one in self.texts(test_id)), TIMEOUT)

    def tell(self, method, times=1, **params):
        """As if the server said it on the data channel, so often and with nothing in between."""
        wait_for("the channel is there", lambda: self.evaluate("() => window.channels.length"),
                 TIMEOUT)
        self.evaluate(TELL, [{"jsonrpc": "2.0", "method": method, "params": params}] * times)

    def cut_off(self, then_press, at_once=False):
        """The socket is lost, and a button pressed, by its id, before the page is back: even before
        it is told of the loss."""
        self.evaluate(FAKE_SCREEN)  # Chromium has one of its own, for real keys only
        self.evaluate(CUT_OFF, [then_press, at_once])

    def cut_off_at(self, method):
        """The socket is lost as soon as the page calls this."""
        self.evaluate(CUT_OFF_AT, method)


class InChromium(RoomPage):
    def __init__(self, browser, **options):
        self.context = browser.new_context(permissions=["camera", "microphone"], **options)
        self.context.add_init_script(
            f"({KEEP_CHANNELS})(); ({KEEP_SOCKETS})(); ({KEEP_ANNOUNCEMENTS})();")
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def go(self, url):
        self.page.goto(url)

    def evaluate(self, function, argument=None):
        return self.page.evaluate(function, argument)

    def count(self, role, name):
        return self._located(role, name).count()

    def is_focused(self, role, name):
        return self._located(role, name).and_(self.page.locator(":focus")).count() > 0

    def _located(self, role, name):
        return self.page.get_by_role(role, name=name, exact=True)

    def press(self, key):
        self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def close(self):
        self.context.close()


class InFirefox(RoomPage):
    def __init__(self, firefox):
        self.firefox = firefox
        self.errors = []
        parts = (KEEP_CHANNELS, KEEP_SOCKETS, KEEP_ANNOUNCEMENTS, FAKE_SCREEN, KEEP_FAULTS)
        calls = " ".join(f"({part})();" for part in parts)
        self.script = firefox.preload(f"() => {{ {calls} }}")

    def go(self, url):
        self.firefox.navigate(url)

    def evaluate(self, function, argument=None):
        return self.firefox.evaluate(function, argument)

    def count(self, role, name):
        return len(self._located(role, name, self.firefox.elements(PERHAPS_NAMED, name)))

    def is_focused(self, role, name):
        focused = self.firefox.elements(FOCUSED)
        return self._located(role, name, focused)[:1] == focused != []

    def _located(self, role, name, among):
        return self.firefox.locate(ROLES_IN_FIREFOX.get(role, role), name, among)

    def press(self, key):
        self.firefox.keys(WEBDRIVER_KEYS[key])
        if key == "Tab":
            self.firefox.take_keyboard()

    def type(self, text):
        self.firefox.keys(*text)

    def resize(self, width, height):
        self.firefox.resize(width, height)

    def close(self):
        self.errors += self.evaluate("() => window.faults")
        self.firefox.unload(self.script)
        self.firefox.navigate("about:blank")

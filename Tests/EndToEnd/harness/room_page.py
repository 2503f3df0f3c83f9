"""The room page as its users have it who do not see it, or point at nothing: by keys, and by the
roles and names of the accessibility tree. Alike in both browsers."""

from . import tokens
from .waiting import wait_for

TABS_MAXIMUM = 80
TIMEOUT = 10  # s

# Keeps the channels on which the server tells the page things, so that a test can do so.
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
TELL = """(message) => {
  for (const channel of window.channels) {
    channel.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}"""
IS_FOCUSED = "(node) => node === document.activeElement"
TEXTS = """(testID) => [...document.querySelectorAll(`[data-testid="${testID}"]`)]
  .filter((node) => node.getClientRects().length > 0).map((node) => node.textContent.trim())"""
WEBDRIVER_KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "End": "\ue010",
    "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}


class RoomPage:
    """One page in the room; what the two browsers do alike."""

    def count(self, role, name):
        return len(self.found(role, name))

    def wait_for(self, role, name, timeout=TIMEOUT):
        wait_for(f"there is a {role} '{name}'", lambda: self.count(role, name) > 0, timeout)

    def wait_for_none(self, role, name):
        wait_for(f"there is no {role} '{name}'", lambda: self.count(role, name) == 0, TIMEOUT)

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

    def texts(self, test_id):
        """Of all that is shown with this `data-testid`."""
        return self.evaluate(TEXTS, test_id)

    def wait_for_text(self, test_id, text):
        wait_for(f"{test_id} says '{text}'",
                 lambda: any(text in one for one in self.texts(test_id)), TIMEOUT)

    def tell(self, method, **params):
        """As if the server said it on the data channel."""
        wait_for("the channel is there", lambda: self.evaluate("() => window.channels.length"),
                 TIMEOUT)
        self.evaluate(TELL, {"jsonrpc": "2.0", "method": method, "params": params})


class InChromium(RoomPage):
    def __init__(self, browser, server, room, name, role="host", **options):
        self.context = browser.new_context(permissions=["camera", "microphone"], **options)
        self.context.add_init_script(f"({KEEP_CHANNELS})()")
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        token = tokens.room_token(room, user=name.lower(), role=role)
        self.page.goto(
            f"{server.base}/rooms/{room}?name={name}&auth_token={token}&skip_preview=true")
        self.page.wait_for_selector("[data-testid=call]", timeout=20_000)

    def evaluate(self, function, argument=None):
        return self.page.evaluate(function, argument)

    def found(self, role, name):
        return self.page.get_by_role(role, name=name, exact=True).all()

    def is_focused(self, role, name):
        return any(node.evaluate(IS_FOCUSED) for node in self.found(role, name))

    def press(self, key):
        self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def close(self):
        self.context.close()


class InFirefox(RoomPage):
    errors = ()

    def __init__(self, firefox, server, room, name, role="host"):
        self.firefox = firefox
        self.script = firefox.preload(KEEP_CHANNELS)
        firefox.enter(server, room, name, role)

    def evaluate(self, function, argument=None):
        return self.firefox.evaluate(function, argument)

    def found(self, role, name):
        also = self.firefox.locate("image", name) if role == "img" else []  # its other name
        return [*self.firefox.locate(role, name), *also]

    def is_focused(self, role, name):
        return any(self.firefox.ask(node, IS_FOCUSED) for node in self.found(role, name))

    def press(self, key):
        self.firefox.keys(WEBDRIVER_KEYS[key])

    def type(self, text):
        self.firefox.keys(*text)

    def resize(self, width, height):
        self.firefox.resize(width, height)

    def close(self):
        self.firefox.unload(self.script)
        self.firefox.navigate("about:blank")

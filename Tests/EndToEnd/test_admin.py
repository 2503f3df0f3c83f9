"""The operator's page: its login, what it shows and does, and what it refuses."""

import http.client
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from harness import axe
from harness.assets import segments, start
from harness.local_server import FileServer
from harness.waiting import wait_for

PASSWORD = "correct horse battery staple"
SECTIONS = ["overview", "streams", "rooms", "recordings", "uploads", "webhooks", "access",
            "settings", "log"]
TIMEOUT = 60  # s
OWN = {"X-Roomcast-Admin": "1"}


def set_password(binary, server, password):
    return subprocess.run(
        [binary, "admin-password"], cwd=server.directory, env=server.environment, text=True,
        input=f"{password}\n", capture_output=True, timeout=TIMEOUT)


@pytest.fixture(scope="module")
def admin(server, binary):
    """A server whose operator has a password."""
    done = set_password(binary, server, PASSWORD)
    assert done.returncode == 0, done.stderr
    return server


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def context(browser):
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def page(context):
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def log_in(page, server, section=""):
    """By keyboard only: the field has the focus."""
    page.goto(f"{server.base}/admin{section}")
    page.wait_for_selector("[data-testid=login]")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-testid=office]")


def ask(server, method, path, headers, body=None):
    connection = http.client.HTTPConnection(server.host, server.port, timeout=TIMEOUT)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), text


def enter(server, password=PASSWORD, **headers):
    return ask(server, "POST", "/admin/api/session",
               OWN | {"Origin": server.base, "Content-Type": "application/json"} | headers,
               json.dumps({"password": password}))


def test_without_a_password_the_page_says_how_to_set_one(page, binary, tmp_path, stack):
    from harness.server import Server
    server = Server(tmp_path / "unset")
    stack.callback(server.stop)
    page.goto(f"{server.base}/admin")
    assert "roomcast admin-password" in page.inner_text("[data-testid=unset]")
    assert not page.is_visible("[data-testid=login]")
    assert enter(server)[0] == 403
    # It is read anew: the server need not be started again.
    assert set_password(binary, server, PASSWORD).returncode == 0
    log_in(page, server)


def test_a_password_has_a_length_and_is_kept_as_a_hash(admin, binary):
    short = set_password(binary, admin, "short")
    assert short.returncode != 0 and "12 characters" in short.stderr
    file = admin.directory / "admin-password"
    assert re.fullmatch(r"\$scrypt\$ln=15,r=8,p=1\$\S{22}\$\S{43}\n", file.read_text())
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_wrong_password_and_the_right_one(page, context, admin):
    page.goto(f"{admin.base}/admin")
    page.wait_for_selector("[data-testid=login]")
    assert page.evaluate("() => document.activeElement.id") == "password"
    page.keyboard.type("something else")
    page.keyboard.press("Enter")
    wait_for("the page says that it is wrong",
             lambda: "not the password" in page.inner_text("[data-testid=login-error]"), TIMEOUT)
    assert context.cookies(f"{admin.base}/admin") == []
    page.fill("[data-testid=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-testid=office]")
    cookie, = context.cookies(f"{admin.base}/admin")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == "/admin"
    assert page.evaluate("() => document.cookie") == ""
    # It is not sent anywhere else.
    assert context.cookies(f"{admin.base}/hls/") == []
    # Loaded again, it is still open.
    page.reload()
    page.wait_for_selector("[data-testid=office]")
    page.click("[data-testid=logout]")
    page.wait_for_selector("[data-testid=login]")
    assert context.cookies(f"{admin.base}/admin") == []


def test_it_sees_a_stream_and_stops_it(page, admin, room):
    stream = start(admin, room)
    segments(admin, stream, 3)
    log_in(page, admin, "#streams")
    card = page.locator(f"[data-stream='{stream['id']}']")
    card.wait_for()

    def measured():
        text = card.inner_text()
        return "On air" in text and re.search(r"\d\.\d\d cores", text) and "kbit/s" in text and text

    text = wait_for("the page has the stream's figures", measured, TIMEOUT)
    assert re.search(r"[\d.]+ of 30 a second", text), text
    assert "640 × 360" in text and "MB at most" in text, text
    told = json.loads(page.evaluate(
        "() => fetch('/admin/api/streams', { headers: { 'X-Roomcast-Admin': '1' } })"
        ".then((answer) => answer.text())"))["data"]
    figures, = [one for one in told if one["id"] == stream["id"]]
    assert 0.01 < figures["cores"] < 8 and 20e6 < figures["memory"] < 4e9
    best = figures["layers"][0]
    assert best["bitrate_wanted"] == 464_000 and 10_000 < best["bitrate"] < 2_000_000

    card.get_by_test_id("layout").click()
    page.get_by_label("Speaker", exact=False).check()
    page.get_by_test_id("confirm").click()
    wait_for("the stream has the layout",
             lambda: admin.stream(stream["id"])["layout"]["name"] == "speaker", TIMEOUT)

    card.get_by_test_id("stop").click()
    page.get_by_test_id("refuse").click()
    assert admin.stream(stream["id"])["status"] == "running"
    card.get_by_test_id("stop").click()
    page.get_by_test_id("confirm").click()
    admin.wait_for_status(stream["id"], "completed", TIMEOUT)
    wait_for("the page has it among the ended ones",
             lambda: card.count() == 0 and room in page.inner_text("#content"), TIMEOUT)

    page.get_by_role("link", name="Log").click()
    page.get_by_test_id("log-text").fill(stream["id"])

    def lines_of_it():
        lines = page.locator("[data-testid=log] li").all_inner_texts()
        return (any("bot started" in line for line in lines)
                and all(stream["id"] in line for line in lines))

    wait_for("the log tells of it, and of nothing else", lines_of_it, TIMEOUT)
    page.get_by_test_id("log-text").fill("")
    page.get_by_test_id("log-stream").select_option(stream["id"])

    def lines_of_its_bot():
        lines = page.locator("[data-testid=log] li").all_inner_texts()
        return (any(" bot " in line and "logger" not in line and "roomcast" not in line
                    for line in lines)
                and any("bot started" in line for line in lines)
                and all(f"stream={stream['id']}" in line for line in lines))

    wait_for("its bot's lines are among them", lines_of_its_bot, TIMEOUT)
    own = page.locator("[data-testid=log] li:has(.log-source)").all_inner_texts()
    logged = admin.log.read_text()
    assert own and all(f"stream={stream['id']}" in line for line in own)
    assert "logger=roomcast.bot" in logged
    page.get_by_test_id("log-level").select_option("error")
    wait_for("errors alone are left",
             lambda: page.locator("[data-testid=log] li").count() == 0, TIMEOUT)


def press(locator):
    """By keyboard: what has the focus is what Enter is for."""
    locator.focus()
    locator.page.keyboard.press("Enter")


def test_it_changes_a_role_and_removes_a_person(page, enter_room, admin):
    ann = enter_room("Ann")
    log_in(page, admin, "#rooms")
    row = page.get_by_test_id("peer").filter(has_text="Ann")
    row.wait_for()
    wait_for("the row tells what she sends", lambda: "picture" in row.inner_text(), TIMEOUT)
    press(row.get_by_role("button", name="Role of Ann"))
    dialog = page.get_by_test_id("dialog")
    dialog.get_by_text("Ann is Host now. The new role:").wait_for()
    assert dialog.get_by_role("radio").evaluate_all("(all) => all.map((one) => one.value)") == [
        "guest", "viewer"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_for("she is a viewer", lambda: "Viewer" in row.inner_text(), TIMEOUT)
    # As one she sends nothing, and her page says so.
    wait_for("she sends nothing", lambda: "nothing" in row.inner_text(), TIMEOUT)
    wait_for("her page has no button for the camera",
             lambda: not ann.page.is_visible("[data-testid=camera]"), TIMEOUT)
    press(row.get_by_role("button", name="Remove Ann"))
    press(page.get_by_test_id("confirm"))
    ann.page.wait_for_selector("[data-testid=farewell]")
    wait_for("she is gone from the list", lambda: row.count() == 0, TIMEOUT)


def test_it_records_a_room(page, admin, room):
    """Beside the stream, which records nothing, and from the first click to the file."""
    stream = start(admin, room, recording={})
    log_in(page, admin, "#streams")
    card = page.locator(f"[data-stream='{stream['id']}']")
    press(card.get_by_test_id("record"))
    page.get_by_text(f"A recording of {room} starts.").wait_for()
    recording = page.get_by_test_id("stream").filter(has_text="Recording without a stream")
    wait_for("it records", lambda: recording.locator(".lamp").inner_text() == "Recording", TIMEOUT)
    written = re.compile(r"Written\s+[1-9]")
    wait_for("it writes", lambda: written.search(recording.inner_text()), TIMEOUT)
    press(recording.get_by_test_id("stop"))
    assert "its files are made" in page.get_by_test_id("dialog").inner_text()
    press(page.get_by_test_id("confirm"))
    # The stream goes on.
    wait_for("the recording is over", lambda: recording.count() == 0, TIMEOUT)
    assert admin.stream(stream["id"])["status"] == "running"
    admin.stop_stream(room)
    page.get_by_role("link", name="Recordings").click()
    found = page.get_by_test_id("recording").filter(has_text=room)
    movies = found.get_by_role("link", name="room composite")
    wait_for("its files are listed", lambda: found.locator(".lamp").inner_text() == "Ready"
             and movies.count() > 0, TIMEOUT)
    with page.expect_download() as download:
        press(movies.first)
    content = Path(download.value.path()).read_bytes()
    assert content[4:8] == b"ftyp" and len(content) > 10_000


def test_it_sends_a_webhook_again(page, binary, receiver, tmp_path, room, stack):
    from harness.server import Server
    server = Server(tmp_path / "told", settings=receiver.settings)
    stack.callback(server.stop)
    assert set_password(binary, server, PASSWORD).returncode == 0
    stream = start(server, room)
    server.stop_stream(room)
    kind = "hls.started.success"
    wait_for("the receiver is told", lambda: kind in receiver.types(stream["id"]), TIMEOUT)
    told, = [one for one in receiver.events(stream["id"]) if one["type"] == kind]
    log_in(page, server, "#webhooks")
    card = page.get_by_test_id("webhook").filter(has=page.get_by_role("heading", name=kind))
    wait_for("it is delivered", lambda: "Delivered" in card.inner_text(), TIMEOUT)
    press(card.locator("summary"))
    assert json.loads(card.locator("pre").inner_text())["id"] == told["id"]
    press(card.get_by_test_id("replay"))
    page.get_by_text("It is sent again.").wait_for()
    wait_for("the receiver has it twice", lambda: receiver.accepted.count(told) == 2, TIMEOUT)
    wait_for("it is delivered again", lambda: "Delivered" in card.inner_text(), TIMEOUT)


# A chart's line as the browser draws it: its length in pixels, and the points that it goes through.
DRAWN = """(chart) => {
  const line = chart.querySelector(".chart-line");
  const { width, height } = line.getBoundingClientRect();
  return { points: line.getAttribute("d").split(/[ML]/).length - 1, length: line.getTotalLength(),
    width, height, isPainted: getComputedStyle(line).stroke !== "none",
    words: chart.querySelector("svg").getAttribute("aria-label") };
}"""


def test_charts_have_lines(page, admin):
    """A sample comes each ten seconds, and one only is a point."""
    log_in(page, admin)
    charts = page.locator(".chart")
    memory = charts.filter(has_text="Memory of the machine")

    def drawn():
        found = memory.evaluate(DRAWN)
        return found["points"] >= 2 and found

    found = wait_for("the chart of the memory has a line", drawn, TIMEOUT)
    assert found["isPainted"] and found["length"] > 1 and found["width"] > 1, found
    assert re.search(r"\d+ % now, \d+ % to \d+ % in the last hour", found["words"]), found
    # Of a server that has just started, the last minutes: an hour would make them a speck.
    assert "5 min ago" in memory.inner_text() and found["width"] > 0.02 * memory.evaluate(
        "(chart) => chart.querySelector('svg').clientWidth"), found
    assert charts.count() == 6
    # Of the CPU's time there is the first figure one sample later.
    wait_for("all charts have lines", lambda: all(
        one.evaluate(DRAWN)["points"] >= 2 for one in charts.all()), TIMEOUT)
    # What the line says at a place.
    memory.locator("svg").hover(position={"x": 5, "y": 5})
    assert re.fullmatch(r"\d\d:\d\d:\d\d · \d+ %", memory.locator(".chart-mark").inner_text())


@pytest.fixture
def enter_room(browser, admin, room):
    from harness.chromium import Participant
    people = []

    def join(name):
        people.append(Participant(browser, admin, room, name))
        return people[-1]

    yield join
    for one in people:
        one.close()


def codes_of(server, room):
    """By role, those that open it."""
    answer = server.manage("GET", f"/room-codes/room/{room}?enabled=true")
    return {one["role"]: one["code"] for one in answer.json["data"]}


def test_a_room_is_made_and_its_links_are_copied(page, context, admin):
    """By keyboard, as far as the link: Enter makes the room of the name."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    log_in(page, admin, "#access")
    page.get_by_test_id("new-room").focus()
    page.keyboard.type("Monday stand-up")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Links into monday-stand-up").wait_for()
    wait_for("the title of the links has the focus",
             lambda: page.evaluate("() => document.activeElement.id") == "links-title", TIMEOUT)
    room, = admin.manage("GET", "/rooms?name=monday-stand-up").json["data"]
    assert room["id"] == room["name"]  # so that its addresses can be read
    codes = codes_of(admin, room["id"])
    cards = page.get_by_test_id("code")
    assert cards.get_by_role("heading").all_inner_texts() == ["Host", "Guest", "Viewer"]
    for role, code in codes.items():
        link = f"{admin.base}/rooms/{room['id']}?code={code}"
        assert page.get_by_test_id(f"link-{role}").input_value() == link
        assert page.get_by_test_id(f"open-{role}").get_attribute("href") == link
    # From the title on, Tab leads to the host's link, and to its button.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "link-host-copy"
    page.keyboard.press("Enter")
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        page.get_by_test_id("link-host").input_value())
    # The same name again is the same room, with the same links.
    page.get_by_test_id("new-room").fill("monday stand-up")
    page.keyboard.press("Enter")
    wait_for("the name is taken", lambda: page.get_by_test_id("new-room").input_value() == "",
             TIMEOUT)
    cards.first.wait_for()
    wait_for("the title has the focus again",
             lambda: page.evaluate("() => document.activeElement.id") == "links-title", TIMEOUT)
    assert codes_of(admin, room["id"]) == codes
    page.get_by_test_id("new-room").fill("!")
    page.keyboard.press("Enter")
    assert "letter" in page.get_by_test_id("new-room").evaluate("(node) => node.validationMessage")


def test_links_begin_with_the_public_address(page, binary, tmp_path, stack):
    from harness.server import Server
    server = Server(tmp_path / "public", settings={
        "ROOMCAST_HTTP_PUBLIC_URL": "https://rooms.example.org"})
    stack.callback(server.stop)
    assert set_password(binary, server, PASSWORD).returncode == 0
    log_in(page, server)
    # The first step is said on the first page.
    page.get_by_test_id("first-room").click()
    page.get_by_test_id("new-room").fill("one")
    page.get_by_test_id("make-room").click()
    page.get_by_test_id("link-host").wait_for()
    assert page.get_by_test_id("link-host").input_value().startswith(
        "https://rooms.example.org/rooms/")


def test_codes_and_settings(page, admin, room):
    assert admin.manage("POST", "/rooms", {"name": room}).status == 200
    found = admin.manage("GET", f"/rooms?name={room}").json["data"][0]["id"]
    log_in(page, admin, "#access")
    page.get_by_test_id("code-room").select_option(found)
    page.get_by_text("The room has no links yet.").wait_for()
    page.get_by_test_id("make-codes").click()
    row = page.get_by_test_id("code").filter(has_text="Guest")
    row.get_by_role("button", name="Disable").click()
    wait_for("the code is off", lambda: "Disabled" in row.inner_text(), TIMEOUT)
    assert not row.get_by_test_id("link-guest").is_visible()
    assert set(codes_of(admin, found)) == {"host", "viewer"}
    # Another one is made in its place, which is on then; the old one stays off.
    page.get_by_test_id("make-codes").click()
    wait_for("there is a new link", lambda: row.count() == 2, TIMEOUT)
    assert "Disabled" not in row.first.inner_text() and "Disabled" in row.last.inner_text()
    assert codes_of(admin, found)["guest"] in row.first.get_by_test_id("link-guest").input_value()
    assert not page.get_by_test_id("make-codes").is_visible()
    row.last.get_by_role("button", name="Enable").click()
    row.last.get_by_test_id("link-guest").wait_for()

    page.get_by_role("link", name="Settings").click()
    page.get_by_test_id("settings-search").fill("auth.")
    wait_for("the settings are shown",
             lambda: "ROOMCAST_AUTH_SECRET" in page.inner_text("[data-testid=settings]"), TIMEOUT)
    shown = page.inner_text("[data-testid=settings]")
    assert admin.settings["ROOMCAST_AUTH_SECRET"] not in shown and "secret" in shown
    everything = page.evaluate(
        "() => fetch('/admin/api/settings', { headers: { 'X-Roomcast-Admin': '1' } })"
        ".then((answer) => answer.text())")
    assert admin.settings["ROOMCAST_AUTH_SECRET"] not in everything


def test_settings_that_are_read_again_are_shown(page, binary, tmp_path, stack):
    """What is in force at once, what waits for a restart, and that a mistake changes nothing."""
    from harness.server import Server
    file = tmp_path / "roomcast.json"

    def give(text):
        file.write_text(text)
        server.process.send_signal(signal.SIGHUP)

    file.write_text(json.dumps({"log": {"level": "info"}}))
    server = Server(
        tmp_path / "server", command=("serve", "--configuration", str(file)))
    stack.callback(server.stop)
    assert set_password(binary, server, PASSWORD).returncode == 0
    log_in(page, server, "#settings")
    rows = page.get_by_test_id("settings").locator("tbody tr")

    def row(name):
        found = rows.filter(has=page.get_by_role("rowheader", name=name, exact=True))
        return found.inner_text().split() if found.count() == 1 else []

    wait_for("the settings are there", lambda: '"info"' in row("log.level"), TIMEOUT)
    assert not page.is_visible("[data-testid=settings-restart]")
    connections = row("http.connectionsMaximum")
    give(json.dumps({"log": {"level": "debug"}, "http": {"connectionsMaximum": 4000}}, indent=1))
    wait_for("the level is shown, with its line",
             lambda: {'"debug"', f"{file}:3"} <= set(row("log.level")), TIMEOUT)
    # In force is what was; then, what will be and where it is given.
    shown = row("http.connectionsMaximum")
    assert set(connections) | {"After", "restart:", "4000", f"{file}:6"} <= set(shown)
    assert "1 setting was changed" in page.inner_text("[data-testid=settings-restart]")
    give('{"log": {"level": "loud"}}')
    wait_for("the mistake is told",
             lambda: f"{file}:1: log.level is not valid" in page.inner_text("[data-testid=settings-fault]"),
             TIMEOUT)
    assert '"debug"' in row("log.level")
    give(json.dumps({"log": {"level": "info"}}))
    wait_for("it is as it was", lambda: '"info"' in row("log.level")
             and not page.is_visible("[data-testid=settings-fault]"), TIMEOUT)
    assert row("http.connectionsMaximum") == connections
    assert not page.is_visible("[data-testid=settings-restart]")


def test_another_sites_page_does_nothing(page, context, admin, room, stack):
    """The browser itself, with the cookie in it, and a client that sends it all the same."""
    log_in(page, admin)
    path = f"/admin/api/v2/live-streams/room/{room}/start"
    site = FileServer({"/": ("text/html", f"""<!doctype html><title>evil</title>
      <form id="form" method="post" action="{admin.base}{path}"></form>""".encode())})
    stack.callback(site.close)
    evil = context.new_page()
    # Another port is the same site to a browser, but another origin: so the cookie is sent.
    evil.goto(f"{site.base}/")
    with evil.expect_navigation(url=f"**{path}") as answer:
        evil.evaluate("() => document.getElementById('form').submit()")
    assert answer.value.status == 403
    evil.goto(f"{site.base}/")
    assert evil.evaluate(f"""() => fetch("{admin.base}{path}", {{ method: "POST",
      credentials: "include", headers: {{ "X-Roomcast-Admin": "1" }} }})
      .then(() => "answered", () => "refused")""") == "refused"
    cookie, = context.cookies(f"{admin.base}/admin")
    inside = OWN | {"Cookie": f"{cookie['name']}={cookie['value']}"}
    for headers in ({"Origin": site.base}, {"Origin": "null"}, {},
                    {"Origin": admin.base, "Sec-Fetch-Site": "cross-site"}):
        assert ask(admin, "POST", path, inside | headers)[0] == 403, headers
    assert admin.manage("GET", f"/live-streams?room_id={room}").json["data"] == []
    status, _, text = ask(admin, "POST", path, inside | {"Origin": admin.base})
    assert status == 200, text
    admin.stop_stream(room)


def test_it_stops_asking_while_nobody_looks(page, admin):
    log_in(page, admin, "#log")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    wait_for("it asks", lambda: page.wait_for_timeout(100) or len(asked) >= 2, TIMEOUT)
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    page.wait_for_timeout(500)
    asked.clear()
    page.wait_for_timeout(5000)
    assert asked == []
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    wait_for("it asks again", lambda: page.wait_for_timeout(100) or asked, TIMEOUT)


def test_a_session_that_is_over_leads_to_the_login(page, admin, binary):
    log_in(page, admin, "#log")
    assert set_password(binary, admin, PASSWORD).returncode == 0
    page.wait_for_selector("[data-testid=login]")
    assert "The session is over" in page.inner_text("#gate-note")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["laptop", "phone"])
def test_axe_finds_no_fault_and_nothing_is_cut_off(browser, admin, scheme, size):
    context = browser.new_context(
        color_scheme=scheme, reduced_motion="reduce",
        viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.goto(f"{admin.base}/admin")
    page.wait_for_selector("[data-testid=login]")
    assert axe.faults(page) == []
    log_in(page, admin)
    for section in SECTIONS:
        page.evaluate("(name) => { location.hash = name; }", section)
        wait_for(f"{section} is loaded",
                 lambda: page.evaluate("() => document.querySelector('#content').children.length"),
                 TIMEOUT)
        page.wait_for_load_state("networkidle")
        assert axe.faults(page) == [], section
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= size[0], section
    context.close()


def test_guesses_are_counted(tmp_path, binary, stack):
    from harness.server import Server
    server = Server(tmp_path / "guessed")
    stack.callback(server.stop)
    assert set_password(binary, server, PASSWORD).returncode == 0
    answers = []

    def guess():
        answers.append(enter(server, "wrong password")[0])
        return answers[-1] == 429

    # One a second is forgiven, so that more are needed where each takes long.
    wait_for("guesses are refused", guess, TIMEOUT, interval=0)
    assert answers[:10] == [401] * 10 and set(answers[10:-1]) <= {401}
    assert "wrong password at /admin" in server.log.read_text()
    assert PASSWORD not in server.log.read_text()

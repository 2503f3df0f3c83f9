"""Replies, emoji, reactions and deleted messages on the room page, in both browsers, beside clients
that know none of it."""

import json

from harness.room_world import TIMEOUT, announced, heard, peer_of
from harness.waiting import wait_for

TEXTS = """() => [...document.querySelectorAll("[data-testid=chat-message] .message-text")]
  .map((node) => node.textContent)"""
FOCUSED_TEXT = """() => document.activeElement.querySelector(".message-text")?.textContent"""
LINK = """() => {
  const link = document.querySelector(".message-text a");
  return link && [link.textContent, link.href, link.target, link.rel];
}"""
FLOATING = """() => [...document.querySelectorAll("[data-testid=floating]")].map((node) => [
  node.closest("[data-testid=tile]")?.dataset.name ?? null, node.textContent])"""
# Keeps what floats: after less than three seconds it is gone.
KEEP_FLOATING = """() => {
  window.floated = [];
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node.dataset?.testid !== "floating") continue;
      const place = node.closest("[data-testid=tile]")?.dataset.name ?? null;
      window.floated.push([place, node.textContent]);
    }
  }).observe(document.body, { childList: true, subtree: true });
}"""
# For the page no time passes from one key to the next.
STOP_CLOCK = """() => {
  const now = performance.now();
  performance.now = () => now;
}"""
START_CLOCK = "() => { delete performance.now; }"
DELETED = "chatMessageBlacklist"


def say(peer, text, **more):
    answer = peer.call("broadcast", {"info": {"message": text, "type": "chat"} | more})
    return answer["result"]["message_id"]


def told(peer):
    return [one["params"]["info"] for one in peer.notifications
            if one.get("method") == "on-broadcast"]


def wait_for_texts(page, *texts):
    wait_for(f"the messages are {texts}", lambda: page.evaluate(TEXTS) == list(texts), TIMEOUT)


def test_a_reply_leads_to_what_it_answers_and_is_a_message_for_others(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "Chat")
    first = say(ben, "look: https://a.test/x. Nice?")
    ann.wait_for("button", "Reply to the message of Ben")
    assert ann.evaluate(LINK) == [
        "https://a.test/x", "https://a.test/x", "_blank", "noopener noreferrer"]
    ann.operate("button", "Reply to the message of Ben")
    ann.wait_for_text("reply-bar", "Reply to Ben: look: https://a.test/x. Nice?")
    ann.wait_for_focus("textbox", "Message")
    ann.press("Escape")  # only the reply ends
    wait_for("it is no reply", lambda: ann.texts("reply-bar") == [], TIMEOUT)
    ann.operate("button", "Reply to the message of Ben")
    ann.type("very")
    ann.press("Enter")
    info = heard(ben, "on-broadcast")["info"]
    assert info == {"message": "very", "type": "chat", "reply_to": first}
    ann.wait_for_text("quote", "look: https://a.test/x. Nice?")
    assert ann.texts("reply-bar") == []
    ann.operate("button", "Ben look: https://a.test/x. Nice?")
    wait_for("it leads there", lambda: ann.evaluate(FOCUSED_TEXT) == "look: https://a.test/x. Nice?",
             TIMEOUT)
    # An answer to a private message is private, and one to what nobody here has says so.
    ben.call("broadcast", {"info": {"message": "psst", "type": "chat"},
                           "peer_id": peer_of(ben, "Ann")})
    wait_for_texts(ann, "look: https://a.test/x. Nice?", "very", "psst")
    say(ben, "yes", reply_to="0" * 32)
    wait_for("it says so", lambda: "An earlier message" in ann.evaluate(
        "() => document.getElementById('messages').textContent"), TIMEOUT)
    ann.evaluate("() => [...document.querySelectorAll('[data-testid=reply]')].at(-2).click()")
    ann.wait_for_focus("textbox", "Message")
    assert ann.value("message-to") == f"peer:{ben.peer_id}"


def test_a_guest_deletes_its_own_and_a_host_all(world):
    ann, ben, cleo = world.open("Ann", "guest"), world.connect("Ben", "host"), world.connect("Cleo")
    ann.operate("button", "Chat")
    hers = say(cleo, "from Cleo")
    ann.wait_for("button", "Reply to the message of Cleo")
    ann.tab_to("textbox", "Message")
    for text in ("oops", "fine"):
        ann.type(text)
        ann.press("Enter")
        wait_for("it is sent", lambda text=text: text in ann.evaluate(TEXTS), TIMEOUT)
    assert ann.count("button", "Delete the message of Cleo") == 0
    own = ben.wait_for("on-broadcast", lambda params: params["info"]["message"] == "oops")[
        "message_id"]
    # The server decides, not the page.
    refused = cleo.call("set-metadata", {"key": DELETED, "data": [own]})
    assert refused["error"]["code"] == 403
    cleo.call("listen-metadata-change", {"keys": [DELETED]})

    ann.operate("button", "Reply to the message of Cleo")
    ann.operate("button", "Delete your message")
    ann.wait_for("dialog", "Delete your message?")
    ann.operate("button", "Delete")
    wait_for_texts(ann, "from Cleo", "fine")
    assert heard(cleo, "on-metadata-change")["values"][0]["data"] == [own]
    assert "result" in ben.call("set-metadata", {"key": DELETED, "data": [hers]})
    wait_for_texts(ann, "fine")
    assert ann.texts("reply-bar") == [], "there is nothing to answer"
    announced(ann, "A message was deleted")
    # Whoever comes later knows of both.
    dan = world.connect("Dan")
    dan.call("listen-metadata-change", {"keys": [DELETED]})
    assert heard(dan, "on-metadata-change")["values"][0]["data"] == [own, hers]


def test_a_host_deletes_what_others_say_and_quotes_lose_it(world):
    ann, ben = world.open(), world.connect("Ben")
    first = say(ben, "rude")
    say(ben, "quoting", reply_to=first)
    ann.wait_for("button", "Chat, 2 unread")
    ann.operate("button", "Chat, 2 unread")
    ann.wait_for_text("quote", "rude")
    ann.tab_to("button", "Delete the message of Ben")
    ann.press("Enter")
    ann.wait_for("dialog", "Delete the message of Ben?")
    ann.operate("button", "Delete")
    wait_for_texts(ann, "quoting")
    assert ann.texts("quote") == []
    assert "rude" not in ann.evaluate("() => document.getElementById('messages').textContent")
    # A client of 100ms is told nothing that it did not ask for.
    assert "on-metadata-change" not in [one.get("method") for one in ben.notifications]
    # What was not read is not counted.
    ann.press("Escape")
    last = say(ben, "again")
    ann.wait_for("button", "Chat, 1 unread")
    ben.call("set-metadata", {"key": DELETED, "data": [last]})
    ann.wait_for("button", "Chat")


def test_emoji_are_chosen_by_keys(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "Chat")
    ann.type("well  done")
    for _ in "done ":
        ann.press("ArrowLeft")
    ann.operate("button", "Emoji")
    ann.wait_for_focus("searchbox", "Search emoji")
    ann.type("thumbs")
    wait_for("two are found", lambda: ann.texts("emoji-one") == ["👍", "👎"], TIMEOUT)
    ann.press("ArrowDown")
    ann.wait_for_focus("button", "thumbs up")
    ann.press("ArrowRight")
    ann.wait_for_focus("button", "thumbs down")
    ann.press("ArrowLeft")
    ann.press("Enter")
    ann.wait_for_focus("textbox", "Message")
    assert ann.value("message") == "well 👍 done"
    ann.operate("button", "Emoji")
    ann.press("Escape")
    ann.wait_for_focus("textbox", "Message")
    ann.press("Enter")
    assert heard(ben, "on-broadcast")["info"] == {"message": "well 👍 done", "type": "chat"}


def test_reactions_are_shown_over_their_sender_and_told(world):
    ann, ben, dan = world.open(), world.connect("Ben", tracks=["a1"]), world.connect("Dan", "viewer")
    ann.wait_for("button", "Show Ben large")
    ann.evaluate(KEEP_FLOATING)

    def floats(*what):
        wait_for(f"{what} floats", lambda: list(what) in ann.evaluate("() => window.floated"),
                 TIMEOUT)

    ann.operate("button", "React")
    ann.wait_for_focus("button", "thumbs up")
    ann.press("ArrowRight")
    ann.evaluate(STOP_CLOCK)
    ann.press("Enter")
    ann.press("Enter")  # at once, so it is left out
    ann.evaluate(START_CLOCK)
    floats("Ann", "❤️")
    info = heard(ben, "on-broadcast")["info"]
    assert info["type"] == "EMOJI_REACTION"
    assert json.loads(info["message"]) == {
        "type": "EMOJI_REACTION", "emojiId": "heart", "senderId": peer_of(ben, "Ann")}
    ann.press("Escape")
    ann.wait_for_focus("button", "React")

    def react(peer, message):
        peer.call("broadcast", {"info": {"message": message, "type": "EMOJI_REACTION"}})

    react(ben, '{"emojiId":"tada"}')
    floats("Ben", "🎉")
    announced(ann, "Ben: celebration")
    react(dan, '{"emojiId":"clap"}')  # who has no tile
    floats(None, "👏Dan")
    for number in range(40):
        react(ben, '{"emojiId":"joy"}' if number % 2 else "no JSON")
    assert len(ann.evaluate(FLOATING)) <= 24
    wait_for("they are gone", lambda: ann.evaluate(FLOATING) == [], TIMEOUT)
    assert ann.evaluate(TEXTS) == [], "they are no messages"
    assert len([one for one in told(ben) if "senderId" in one["message"]]) == 1, "not too many"

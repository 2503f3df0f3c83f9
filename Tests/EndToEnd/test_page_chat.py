"""What the chat's messages are made of, without the server."""

import pytest

LINKS = """async (text) => {
  const { linkPieces } = await import("/assets/common/link-text.js");
  return linkPieces(text).map(({ text, href }) => (href ? [text, href] : text));
}"""


@pytest.mark.parametrize(("text", "pieces"), [
    ("no link", ["no link"]), ("", []),
    ("see https://a.test/x_(y). And (http://b.test)!", [
        "see ", ["https://a.test/x_(y)", "https://a.test/x_(y)"], ". And (",
        ["http://b.test", "http://b.test/"], ")!"]),
    ("HTTPS://A.test/#é", [["HTTPS://A.test/#é", "https://a.test/#%C3%A9"]]),
    ("javascript:alert(1) data:text/html,x ftp://a.test", [
        "javascript:alert(1) data:text/html,x ftp://a.test"]),
    ("https:// http://[ xhttps://a.test", ["https:// http://[ xhttps://a.test"]),
    # What looks like the host is not it.
    ("https://bank.test@a.test/", ["https://bank.test@a.test/"]),
    # What follows would be shown backwards.
    ("https://a.test/\u202egpj.exe", [["https://a.test/", "https://a.test/"], "\u202egpj.exe"]),
    ("https://a.test/'\"><b>", [["https://a.test/", "https://a.test/"], "'\"><b>"]),
])
def test_web_addresses_are_links_and_nothing_else_is(page, text, pieces):
    assert page.evaluate(LINKS, text) == pieces


def test_a_link_leads_out_of_the_room_and_tells_nothing_of_it(page):
    assert page.evaluate("""async () => {
      const { linked } = await import("/assets/common/link-text.js");
      const [text, link] = linked("<b>see</b> https://a.test/?a=1&b=2");
      return [text.textContent, link.outerHTML];
    }""") == ["<b>see</b> ", '<a href="https://a.test/?a=1&amp;b=2" target="_blank" '
              'rel="noopener noreferrer">https://a.test/?a=1&amp;b=2</a>']


def test_links_are_found_in_time(page):
    # It takes a tenth of a second, and up to three where the machine is busy.
    assert page.evaluate("""async () => {
      const { linkPieces } = await import("/assets/common/link-text.js");
      let least = Infinity;
      for (let round = 0; round < 5 && least > 1000; round += 1) {
        const begin = performance.now();
        for (const text of ["https://".repeat(20000), "https://a." + ")".repeat(100000),
          "(".repeat(50000) + "https://a.test/ ".repeat(5000)]) linkPieces(text);
        least = Math.min(least, performance.now() - begin);
      }
      return least;
    }""") < 3000


def test_emoji_are_found_by_the_beginnings_of_their_words(page):
    found = page.evaluate("""async () => {
      const { emojiCategories, foundEmoji } = await import("/assets/room/chat/emoji-list.js");
      const texts = (list) => list.flatMap(({ emoji }) => emoji.map(({ text }) => text));
      const all = texts(emojiCategories);
      return [all.length, new Set(all).size,
        ...["THUMBS up", "umbs", "héart red", ""].map((query) => texts(foundEmoji(query)))];
    }""")
    count, distinct, thumb, none, heart, everything = found
    assert count == distinct == len(everything) > 100
    assert thumb == ["👍"] and none == [] and heart == ["❤️"]


EVENTS = """async ([method, params]) => {
  const { messagesFrom } = await import("/assets/client/messages.js");
  return messagesFrom(method, params).map(([type, detail]) => [type, JSON.parse(JSON.stringify(detail))]);
}"""
BEN = {"peer_id": "b", "info": {"name": "Ben"}}


def broadcast(info, **params):
    return ["on-broadcast", {"peer": BEN, "message_id": "m", "timestamp": 0, "info": info} | params]


def test_a_message_says_who_an_answer_is_for(page):
    def event(**params):
        [[kind, found]] = page.evaluate(EVENTS, broadcast({"message": "hi", "type": "chat"}, **params))
        assert kind == "message" and found["id"] == "m" and found["replyTo"] is None
        return found["mark"], found["audience"]

    assert event(private=False, roles=[]) == ("", {"kind": "everybody"})
    assert event(roles=["host", "guest"]) == (
        "to roles Host, Guest", {"kind": "role", "role": "host"})
    assert event(private=True) == (
        "to you only", {"kind": "peer", "peerID": "b", "name": "Ben"})
    assert event(peer=None) == ("", {"kind": "everybody"})
    [[_, reply]] = page.evaluate(EVENTS, broadcast(
        {"message": "yes", "type": "chat", "reply_to": "a"}))
    assert reply["replyTo"] == "a"


@pytest.mark.parametrize(("message", "emoji"), [
    # As 100ms' clients write it, and this page.
    ('{"type":"EMOJI_REACTION","emojiId":"tada","senderId":"x"}', "🎉"),
    ('{"emojiId":"+1"}', "👍"), ('{"emojiId":"sob"}', "😭"), ('{"emojiId":"nobody knows"}', None),
    ('{"emojiId":{}}', None), ("null", None), ("no JSON", None), ("[]", None),
])
def test_reactions_of_100ms_clients_are_known(page, message, emoji):
    events = page.evaluate(EVENTS, broadcast({"message": message, "type": "EMOJI_REACTION"}))
    assert [(kind, found["emoji"], found["peerID"]) for kind, found in events] == (
        [("reaction", emoji, "b")] if emoji else [])


def test_deleted_messages_are_those_of_100ms_clients(page):
    assert page.evaluate(EVENTS, ["on-metadata-change", {"values": [
        {"key": "pinned", "data": ["x"]}, {"key": "chatMessageBlacklist", "data": ["a", "b"]},
        {"key": "chatMessageBlacklist", "data": None}]}]) == [["deleted", {"ids": ["a", "b"]}]]


# As in the composed picture: SlateRendererTests has the same rows.
COLOURED = [
    ("1", "Ann", 38),
    ("2", " ANN ", 38),
    ("3", "Dora Lind", 38),
    ("4", "Zoë Ñandú", 92),
    ("5", "한국어", 158),
    ("6", "🎉 Party", 322),
    ("peer-7", "", 190),
]


def test_a_person_has_one_colour(page):
    assert page.evaluate("""async (people) => {
      const { hueOf } = await import("/assets/common/person-colour.js");
      return people.map(([id, name]) => hueOf({ id, name }));
    }""", COLOURED) == [hue for _, _, hue in COLOURED]
    assert page.evaluate("""async () => {
      const { hueOf } = await import("/assets/common/person-colour.js");
      const hue = (id, name) => hueOf({ id, name });
      const all = new Set(Array.from({ length: 200 }, (_, index) => hue("", `person ${index}`)));
      return [hue("1", "Ann") === hue("2", " ann"), hue("1", "") === hue("1", " "), all.size];
    }""") == [True, True, 8]

"""The names in the XML that Jitsi's parts exchange, and a short way to make it."""

from xml.etree import ElementTree

CLIENT = "jabber:client"
FOCUS = "http://jitsi.org/protocol/focus"
MEET = "http://jitsi.org/jitmeet"
COLIBRI = "http://jitsi.org/protocol/colibri"
JIBRI = "http://jitsi.org/protocol/jibri"
HEALTH = "http://jitsi.org/protocol/health"

JINGLE = "urn:xmpp:jingle:1"
RTP = "urn:xmpp:jingle:apps:rtp:1"
FEEDBACK = "urn:xmpp:jingle:apps:rtp:rtcp-fb:0"
EXTENSIONS = "urn:xmpp:jingle:apps:rtp:rtp-hdrext:0"
SOURCES = "urn:xmpp:jingle:apps:rtp:ssma:0"
ICE = "urn:xmpp:jingle:transports:ice-udp:1"
DTLS = "urn:xmpp:jingle:apps:dtls:0"
SCTP = "urn:xmpp:jingle:transports:dtls-sctp:1"
GROUPING = "urn:xmpp:jingle:apps:grouping:0"

MUC = "http://jabber.org/protocol/muc"
MUC_USER = "http://jabber.org/protocol/muc#user"
DATA = "jabber:x:data"
NICK = "http://jabber.org/protocol/nick"
DISCO = "http://jabber.org/protocol/disco#info"

# What a client may say of itself in disco#info (jicofo's Features.kt), beside SCTP and JIBRI.
AUDIO = "urn:xmpp:jingle:apps:rtp:audio"
VIDEO = "urn:xmpp:jingle:apps:rtp:video"
RETRANSMISSION = "urn:ietf:rfc:4588"
TRANSPORT_CC = "http://jitsi.org/tcc"
REMB = "http://jitsi.org/remb"
JSON_SOURCES = "http://jitsi.org/json-encoded-sources"


def node(namespace, name, attributes=None, *children, text=None):
    """An element. Attributes that are None are left out."""
    made = ElementTree.Element(
        f"{{{namespace}}}{name}",
        {key: str(value) for key, value in (attributes or {}).items() if value is not None})
    made.text = text
    made.extend(children)
    return made


def find(element, namespace, name):
    """Its first child of that name; None without."""
    return element.find(f"{{{namespace}}}{name}")


def find_all(element, namespace, name):
    return element.findall(f"{{{namespace}}}{name}")


def text(element):
    return ElementTree.tostring(element, encoding="unicode")

internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom
internal import SDP
internal import XML
internal import XMPP

/// What a ``JitsiCall`` has to be done.
enum CallOrder: Hashable {
    /// Ask, and tell the call what was answered.
    case ask(CallQuestion, XMLElement, to: JID)
    /// Ask the focus by HTTP, and tell the call what was answered, unless it is asked anew before.
    case post(ConferenceRequest)
    /// A stanza that has no answer, or is one.
    case send(XMLElement)
    case media(CallMediaOrder)
    /// A message for the bridge's channel.
    case tellBridge(String)
    /// We are in the room for the first time.
    case joined
    case roster([RemotePeer])
    /// After the roster that has their tracks.
    case layers([TrackLayers])
    case path(PeerConnectionState)
    case speakers([RemoteSpeaker])
    case message(HeardMessage)
    /// For people.
    case warn(String)
    /// The stay is over.
    case end(RoomEnd)
}

/// A question whose answer decides something.
enum CallQuestion: Hashable {
    case conference
    /// Of the session with that number.
    case accept(Int)
    /// Its answer decides nothing.
    case other
}

/// What was answered.
enum CallReply: Hashable {
    case result(XMLElement?)
    case refused(StanzaError)
    /// Nothing, in time.
    case silence
}

/// What has to be done with the media. Sessions are numbered, and each has a connection of its own.
enum CallMediaOrder: Hashable {
    /// Apply an offer: the first one makes the connection.
    case describe(Int, SessionDescription)
    /// Open the bridge's channel, which the client does: on the connection, or as a WebSocket.
    case openChannel(Int, BridgeChannel)
    case close(Int)
}

/// How messages reach the bridge.
enum BridgeChannel: Hashable {
    /// A data channel on the session's connection.
    case data
    case socket(String)

    static let label = "JVB data channel"
    static let `protocol` = "http://jitsi.org/protocols/colibri"
}

internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom
internal import SDP

/// What a ``ClientSession`` has to be done.
enum ClientOrder: Hashable {
    /// A frame for the socket.
    case send(String)
    case media(MediaOrder)
    /// We are in the session for the first time.
    case joined
    case roster([RemotePeer])
    case path(PeerConnectionState)
    case message(RoomMessage)
    /// For people.
    case warn(String)
    /// The socket is of no use any more: close it, and open another one. This is the end if none
    /// helps.
    case reconnect(RoomEnd)
    /// The stay is over.
    case end(RoomEnd)
}

/// What has to be done with a stream's connection.
enum MediaOrder: Hashable {
    /// Make the connection and its offer.
    case offer(StreamConnectionID, [MediaSection.Kind: TrackID])
    /// Apply the server's answer.
    case accept(StreamConnectionID, String)
    /// Make the connection by the server's offer, and its answer.
    case answer(StreamConnectionID, String, [MediaSection.Kind: TrackID])
    case trickle(StreamConnectionID, String)
    case close(StreamConnectionID)
}

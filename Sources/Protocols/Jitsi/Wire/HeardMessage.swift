internal import RemoteRoom

/// A message as programs hear it. XMPP has another type of that name.
typealias HeardMessage = RoomMessage

import ChildProcesses
import MediaKernel
import RemoteRoom
import Streams

/// Which peers' identities the server has been told, for its list of who was there.
struct Attendance {
    /// Of peers, whoever was there at any time. Later ones are left out.
    static let maximum = 4096

    private var told: [PeerID: JSONValue] = [:]

    /// What is to be told of the peers that are there.
    mutating func news(_ peers: [RemotePeer]) -> [BotReport] {
        peers.compactMap { peer in
            guard let identity = peer.identity, told[peer.id] != identity,
                told[peer.id] != nil || told.count < Self.maximum
            else { return nil }
            told[peer.id] = identity
            return .identity(peer: peer.id.rawValue, identity)
        }
    }
}

extension StreamPlan {
    /// Whether somebody keeps a list of who was there: who orders a recording of a conference.
    var isAttendanceTold: Bool { variant.conference?.recording != nil }
}

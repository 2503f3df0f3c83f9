import Foundation
import MediaKernel
import Pipeline
import Rooms
import Signalling

extension RemoteRoom {
    /// Who is in the room and what they publish, as the pipeline wants to know it.
    var sources: [SourcePeer] {
        peers.map { peer in
            SourcePeer(
                id: peer.peerID, name: peer.info.name, role: peer.role,
                picture: PeerMetadata(peer.info.data)?.picture, joinedAt: peer.joinedAt ?? 0,
                tracks: tracks(of: peer.peerID).map { track in
                    SourceTrack(
                        id: track.trackID, isVideo: track.type == .video,
                        source: TrackSource(named: track.source), isMuted: track.mute)
                })
        }
    }
}

extension TrackSource {
    /// By the word with which a client of 100ms publishes a track.
    init(named word: String) {
        switch word {
        case "regular": self = .regular
        case _ where Track.presentations.contains(word): self = .presentation
        // A playlist's sound, and words of clients' own.
        default: self = .other
        }
    }
}

/// What a peer's metadata, when it is a JSON object, has to say about its picture.
struct PeerMetadata: Decodable {
    /// Longer metadata is not read.
    static let bytesMaximum = 64 << 10

    /// The address of an image.
    let picture: String?

    /// The field's name differs from application to application.
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case picture, avatar
        case avatarURL = "avatar_url"
        case avatarUrl
    }

    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "{"), text.utf8.count <= Self.bytesMaximum,
            let read = try? JSONDocument.decode(PeerMetadata.self, from: text.utf8)
        else { return nil }
        self = read
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        picture =
            CodingKeys.allCases.lazy
            .compactMap { try? values.decode(String.self, forKey: $0) }.first
    }
}

import Foundation
import MediaKernel
import Pipeline
import RemoteRoom

extension SourcePeer {
    /// A peer in the pipeline's form.
    init(_ peer: RemotePeer) {
        self.init(
            id: peer.id, name: peer.name, role: peer.role,
            picture: PeerMetadata(peer.metadata)?.picture, joinedAt: peer.joinedAt,
            tracks: peer.tracks.map { track in
                SourceTrack(
                    id: track.id, isVideo: track.isVideo, source: track.source,
                    isMuted: track.isMuted)
            })
    }
}

/// The part of a peer's metadata, if it is a JSON object, that concerns its picture.
struct PeerMetadata: Decodable {
    /// Longer metadata is not read.
    static let bytesMaximum = 64 << 10

    /// The address of an image.
    let picture: String?

    /// The field's name differs between applications.
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

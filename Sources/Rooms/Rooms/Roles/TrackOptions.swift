/// Which tracks of a room are recorded each by itself, and in which form. As JSON either a boolean
/// or an object; an object without `enabled` records.
public struct TrackOptions: Hashable, Sendable, Codable {
    /// The container of sound.
    public enum Audio: String, Hashable, Sendable, Codable {
        case ogg, webm
    }

    public var enabled: Bool
    /// Each list that is given must name the track: by the peer's id or name, its role, the track's
    /// source (`regular`, `screen`, `other`), its id.
    public var peers: [String]?
    public var roles: [String]?
    public var sources: [String]?
    public var ids: [String]?
    /// Nil for Ogg.
    public var audio: Audio?
    /// Whether there is an archive of all files; nil for no.
    public var zip: Bool?
    /// Whether there is a movie of each peer; nil for no.
    public var perPeer: Bool?
    /// A file of the sound of all recorded tracks; nil for none.
    public var mix: MixOptions?
    /// Whether the room's picture is recorded as well; nil for yes. Only a recording without a live
    /// stream can do without it.
    public var composite: Bool?

    public static let namesMaximum = 100
    public static let nameBytesMaximum = 256
    public static let sourceNames = ["regular", "screen", "other"]

    public init(
        enabled: Bool = true, peers: [String]? = nil, roles: [String]? = nil,
        sources: [String]? = nil, ids: [String]? = nil, audio: Audio? = nil, zip: Bool? = nil,
        perPeer: Bool? = nil, mix: MixOptions? = nil, composite: Bool? = nil
    ) {
        self.enabled = enabled
        self.peers = peers
        self.roles = roles
        self.sources = sources
        self.ids = ids
        self.audio = audio
        self.zip = zip
        self.perPeer = perPeer
        self.mix = mix
        self.composite = composite
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case enabled, peers, roles, sources, ids, audio, zip, mix, composite
        case perPeer = "per_peer"
    }

    public init(from decoder: any Decoder) throws {
        if let value = try? decoder.singleValueContainer(),
            let isEnabled = try? value.decode(Bool.self)
        {
            self.init(enabled: isEnabled)
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            enabled: try values.decodeIfPresent(Bool.self, forKey: .enabled) ?? true,
            peers: try values.decodeIfPresent([String].self, forKey: .peers),
            roles: try values.decodeIfPresent([String].self, forKey: .roles),
            sources: try values.decodeIfPresent([String].self, forKey: .sources),
            ids: try values.decodeIfPresent([String].self, forKey: .ids),
            audio: try values.decodeIfPresent(Audio.self, forKey: .audio),
            zip: try values.decodeIfPresent(Bool.self, forKey: .zip),
            perPeer: try values.decodeIfPresent(Bool.self, forKey: .perPeer),
            mix: try values.decodeIfPresent(MixOptions.self, forKey: .mix),
            composite: try values.decodeIfPresent(Bool.self, forKey: .composite))
    }

    /// The first broken rule; nil for none.
    public var fault: String? {
        for (name, list) in [
            ("peers", peers), ("roles", roles), ("sources", sources), ("ids", ids),
        ] {
            guard let list else { continue }
            guard !list.isEmpty, list.count <= Self.namesMaximum,
                list.allSatisfy({ (1...Self.nameBytesMaximum).contains($0.utf8.count) })
            else {
                return "\(name) are 1 to \(Self.namesMaximum) names of 1 to "
                    + "\(Self.nameBytesMaximum) bytes"
            }
        }
        if let sources, !sources.allSatisfy(Self.sourceNames.contains) {
            return "sources are \(Self.sourceNames.joined(separator: ", "))"
        }
        return mix?.fault
    }

    /// Whether such a track is recorded.
    public func selects(
        id: String, source: String, peer: String, name: String, role: String
    ) -> Bool {
        enabled && (ids?.contains(id) ?? true) && (sources?.contains(source) ?? true)
            && (roles?.contains(role) ?? true)
            && (peers.map { $0.contains(peer) || $0.contains(name) } ?? true)
    }
}

public import MediaKernel
import Rooms

/// The state of a room when a stream of it begins.
public struct StreamScene: Hashable, Sendable {
    /// The room's current session; nil if no visible peer is in it.
    public var session: SessionID?
    public var origin: LiveStream.Origin
    /// Whether anybody has ever created or joined the room.
    public var isKnown: Bool
    /// The policy's roles that are not hidden; nil if unknown.
    public var roles: [String]?
    /// Whether the policy has destinations for streams of the requested kind. Where it has none, a
    /// request may name any, as 100ms' clients do.
    public var hasDestinations: Bool

    public init(
        session: SessionID? = nil, origin: LiveStream.Origin = LiveStream.Origin(),
        isKnown: Bool = true, roles: [String]? = nil, hasDestinations: Bool = true
    ) {
        self.session = session
        self.origin = origin
        self.isKnown = isKnown
        self.roles = roles
        self.hasDestinations = hasDestinations
    }
}

extension StreamScene {
    /// Possible mistakes in a start request, in words for the caller and the log.
    ///
    /// - Parameters:
    ///   - destination: the full name of the request's destination.
    ///   - others: the room's streams on air that the request did not name.
    ///   - new: the number of streams that the request begins.
    public func warnings(
        of request: LiveStreamRequest, room: RoomID, destination: String,
        others: [StreamAdmission.Running], new: Int
    ) -> [String] {
        var warnings = self.warnings(
            of: LiveStreamChange(
                layout: request.layout, roles: request.audio.roles.map { .only($0) }))
        warnings += unknownRoles(request.recording?.tracks?.roles ?? [], "tracks.roles")
        guard new > 0 else { return warnings }
        if !isKnown, request.variants.contains(where: { $0.source == nil }) {
            warnings.append(
                "room \(room) does not exist: nobody has made it or joined it, "
                    + "and until somebody does there is nothing to show")
        }
        if !hasDestinations, !request.destination.isEmpty {
            warnings.append(
                "destination '\(request.destination.prefix(64))' sets nothing: the room's policy "
                    + "has no \(request.kind == .stream ? "hlsDestinations" : "browserRecordings")")
        }
        if request.kind == .stream, let other = others.first {
            let metadata = other.stream.plan.variant.metadata
            let difference =
                if other.destination != destination {
                    "destination '\(other.destination.prefix(64))'"
                } else if metadata.isEmpty {
                    "no metadata"
                } else {
                    "metadata '\(metadata.prefix(64))'"
                }
            warnings.append(
                "the room is on air already, as stream \(other.stream.id) with \(difference): "
                    + "one more recorder runs from now on")
        }
        return warnings
    }

    /// Possible mistakes in a change of a stream.
    public func warnings(of change: LiveStreamChange) -> [String] {
        unknownRoles(change.roles?.names ?? [], "audio.roles")
            + unknownRoles(Self.roles(of: change.layout), "layout")
    }

    private func unknownRoles(_ names: [String], _ field: String) -> [String] {
        guard let roles else { return [] }
        let unknown = Set(names).subtracting(roles).sorted().prefix(Self.namesMaximum)
        guard !unknown.isEmpty else { return [] }
        let shown = unknown.map { "'\($0.prefix(64))'" }.joined(separator: ", ")
        return [
            "\(field) names \(shown), which the room's policy does not have; its roles are "
                + roles.prefix(Self.namesMaximum).joined(separator: ", ")
        ]
    }

    private static let namesMaximum = 10

    /// The roles that a layout names.
    private static func roles(of layout: JSONValue?) -> [String] {
        guard case .object(let fields) = layout else { return [] }
        var names: [JSONValue] = []
        if case .array(let values) = fields["roles"] { names += values }
        if case .object(let focus) = fields["focus"], let role = focus["role"] {
            names.append(role)
        }
        return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }

    /// The warnings about fields that had no effect, since the stream was already on air.
    public static func ignored(_ request: LiveStreamRequest, of stream: LiveStream) -> [String] {
        let differing = [
            (
                "audio.roles",
                request.audio.roles != nil && request.audio.roles != stream.plan.audio.roles
            ),
            ("layout", request.layout != nil && request.layout != .object([:])),
        ].filter(\.1).map(\.0)
        guard !differing.isEmpty else { return [] }
        return [
            "stream \(stream.id) is on air already, and \(differing.joined(separator: " and ")) of "
                + "this request changed nothing; PATCH /v2/live-streams/\(stream.id) does"
        ]
    }
}

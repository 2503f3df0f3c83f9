public import MediaKernel

/// Which calls a list has. Missing conditions match every call.
public struct CallFilter: Hashable, Sendable {
    /// Empty for any.
    public var ids: [RoomID] = []
    public var types: Set<CallType> = []
    public var creators: [String] = []
    public var state: CallState?
    public var createdAt = OpenRange<UnixTime>()
    /// Participants at present.
    public var participants = OpenRange<Int>()

    public init() {}

    public func check() throws(CallError) {
        for (field, count) in [("room_ids", ids.count), ("created_by", creators.count)]
        where count > CallLimits.listed {
            throw .tooLong(field: field, count: count, maximum: CallLimits.listed)
        }
    }

    /// Which calls have as many participants as the filter says.
    public enum Occupation: Hashable, Sendable {
        case any
        case only(Set<RoomID>)
        case allBut(Set<RoomID>)
    }

    /// - Parameter occupied: the rooms with participants. All others have none.
    public func occupation(_ occupied: [RoomID: Int]) -> Occupation {
        guard !participants.isUnbounded else { return .any }
        let (inside, outside) = (
            occupied.filter { participants.contains($0.value) },
            occupied.filter { !participants.contains($0.value) }
        )
        return participants.contains(0) ? .allBut(Set(outside.keys)) : .only(Set(inside.keys))
    }

    /// The same for filters that mean the same.
    fileprivate var fingerprint: String {
        let parts = [
            ids.map(\.rawValue).sorted().joined(separator: ","),
            types.map(\.rawValue).sorted().joined(separator: ","),
            creators.sorted().map { "\($0.utf8.count):\($0)" }.joined(separator: ","),
            state?.rawValue ?? "",
            "\(createdAt.from?.nanoseconds.description ?? "")-"
                + "\(createdAt.to?.nanoseconds.description ?? "")",
            "\(participants.from?.description ?? "")-\(participants.to?.description ?? "")",
        ]
        // A check against mistakes, which need not withstand anybody.
        return Hexadecimal.text(CRC32.checksum(parts.joined(separator: ";").utf8))
    }
}

/// A place in a list of calls, which has the newest first: right behind one call.
///
/// The list continues there whatever happens meanwhile: calls are made before the first one, and
/// none changes its place.
public struct CallPlace: Hashable, Sendable {
    public var createdAt: UnixTime
    public var id: RoomID

    public init(createdAt: UnixTime, id: RoomID) {
        self.createdAt = createdAt
        self.id = id
    }

    public init(behind call: GroupCall) {
        self.init(createdAt: call.createdAt, id: call.id)
    }

    /// The place as a token for callers, which is good only with the same filter.
    public func token(for filter: CallFilter) -> String {
        Base64URL.text(Array("1;\(createdAt.nanoseconds);\(filter.fingerprint);\(id)".utf8))
    }

    public init(token: String, for filter: CallFilter) throws(CallError) {
        guard token.utf8.count <= CallLimits.tokenBytes, let bytes = Base64URL.bytes(token),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .malformedToken }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1", let time = Int64(parts[1]),
            RoomID.isValid(parts[3])
        else { throw .malformedToken }
        guard parts[2] == filter.fingerprint else {
            throw .foreignToken
        }
        self.init(createdAt: UnixTime(nanoseconds: time), id: RoomID(String(parts[3])))
    }
}

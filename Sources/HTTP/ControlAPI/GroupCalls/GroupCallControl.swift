public import Catalogue
public import GroupCalls
import HTTPTypes
import HundredMSTerms
public import MediaKernel

/// The control API's access to group calls. `Service` implements it.
public protocol GroupCallControl: Sendable {
    /// Creates a call with its room.
    func create(_ call: GroupCall, in room: CatalogueRoom) async throws(APIError)

    /// A call, open or deleted, and its participants at present.
    func call(_ id: RoomID) async throws(APIError) -> CallAtPresent

    /// A page of calls, the newest first.
    ///
    /// - Parameter place: where it begins; nil for the first page.
    func calls(
        _ filter: CallFilter, behind place: CallPlace?, limit: Int
    ) async throws(APIError) -> CallPage

    /// Carries out what a server asks.
    func perform(
        _ request: CallRequest, in room: RoomID
    ) async throws(APIError) -> CallAnswer

    /// The latest invitations into a call, the newest first.
    func invitations(into room: RoomID) async throws(APIError) -> [Invitation]
}

/// A call and the number of its participants.
public struct CallAtPresent: Hashable, Sendable {
    public var call: GroupCall
    public var participants: Int

    public init(_ call: GroupCall, participants: Int) {
        self.call = call
        self.participants = participants
    }

    var json: JSONValue { .object(call.json(participants: participants)) }
}

/// A part of a list of calls.
public struct CallPage: Hashable, Sendable {
    public var calls: [CallAtPresent]
    /// Where the next page begins; nil after the last one.
    public var next: CallPlace?

    public init(calls: [CallAtPresent], next: CallPlace?) {
        self.calls = calls
        self.next = next
    }
}

extension APIError {
    /// Converts the refusal of a request about a group call.
    public init(_ error: CallError) {
        switch error {
        case .unavailable(let reason): self = .unavailable(error.message, reason)
        default: self.init(HTTPResponse.Status(code: error.code), error.message)
        }
    }

    /// Another room has the name of the new one.
    public static func nameTaken(by room: RoomID) -> APIError {
        .conflict("name is taken", "room \(room) has it")
    }

    /// The room was a group call, and nobody enters it any more.
    public static func roomDeleted(_ id: RoomID) -> APIError { APIError(CallError.deleted(id)) }
}

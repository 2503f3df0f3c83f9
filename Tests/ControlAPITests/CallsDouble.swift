import Catalogue
import GroupCalls
import MediaKernel
import Synchronization

@testable import ControlAPI

/// Group calls in the catalogue, without rooms. Requests are recorded.
final class CallsDouble: GroupCallControl {
    struct State {
        var requests: [CallRequest] = []
        var refusal: CallError?
        var participants: [RoomID: Int] = [:]
        var invitations: [Invitation] = []
    }

    let state = Mutex(State())
    private let catalogue: CallCatalogue

    init(_ catalogue: Catalogue) { self.catalogue = CallCatalogue(catalogue) }

    private func check() throws(APIError) {
        if let refusal = state.withLock({ $0.refusal }) { throw APIError(refusal) }
    }

    private func found<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(APIError) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw APIError(error)
        }
    }

    func create(_ call: GroupCall, in room: CatalogueRoom) async throws(APIError) {
        try check()
        let namesake = try await found { () async throws(CatalogueError) in
            try await catalogue.create(call, in: room)
        }
        if let namesake { throw .nameTaken(by: namesake) }
    }

    func call(_ id: RoomID) async throws(APIError) -> CallAtPresent {
        try check()
        let call = try await found { () async throws(CatalogueError) in
            try await catalogue.call(id)
        }
        guard let call else { throw APIError(CallError.unknownCall(id)) }
        return CallAtPresent(call, participants: state.withLock { $0.participants[id] ?? 0 })
    }

    func calls(
        _ filter: CallFilter, behind place: CallPlace?, limit: Int
    ) async throws(APIError) -> CallPage {
        let occupied = state.withLock { $0.participants }
        let (calls, next) = try await found { () async throws(CatalogueError) in
            try await catalogue.calls(filter, occupied: occupied, behind: place, limit: limit)
        }
        return CallPage(
            calls: calls.map { CallAtPresent($0, participants: occupied[$0.id] ?? 0) }, next: next)
    }

    func perform(_ request: CallRequest, in room: RoomID) async throws(APIError) -> CallAnswer {
        try check()
        state.withLock { $0.requests.append(request) }
        switch request {
        case .end(let id, let act):
            var invitation = Invitation(
                id: id, call: room, inviter: "ann", invitee: "ben", role: "guest",
                createdAt: TestWorld.now, expiresAt: TestWorld.now + .seconds(60))
            try? invitation.end(by: act, of: nil, at: TestWorld.now)
            return .invitation(invitation, token: act == .accept ? "a-token" : nil)
        case .setItems(let values):
            let items = CustomItems(stored: values, version: 2)
            return .items(ItemsChange(.updated, keys: ["a"], items: items, by: nil))
        default: return .deleted
        }
    }

    func invitations(into room: RoomID) async throws(APIError) -> [Invitation] {
        state.withLock { $0.invitations }
    }
}

import Catalogue
import ControlAPI
import Foundation
import HundredMS
import HundredMSTerms
import MediaKernel
import Rooms
import Synchronization

/// A policy, and the settings for streams in rooms with that policy.
struct RoomPolicy: Sendable {
    var policy: Policy
    var streams: StreamSettings
}

/// The policies of rooms: from the policy file, and from templates in the catalogue. Copies share
/// the policy file's.
struct PolicyStore: TemplateControl {
    private let file: HeldPolicy
    /// The defaults for settings that a policy leaves out.
    private let streams: StreamSettings
    private let catalogue: Catalogue

    /// - Throws: `SettingsError` for an invalid destination.
    init(policy: Policy, streams: StreamSettings, catalogue: Catalogue) throws {
        file = HeldPolicy(try StandardPolicy(policy, streams: streams))
        self.streams = streams
        self.catalogue = catalogue
    }

    var standard: StandardTemplate { file.current.template }
    var standardPolicy: RoomPolicy { file.current.policy }

    /// Checks another policy in place of the file's.
    ///
    /// - Throws: `SettingsError` for an invalid destination.
    func checked(_ policy: Policy) throws -> StandardPolicy {
        try StandardPolicy(policy, streams: streams)
    }

    /// Rooms get the policy the next time they open.
    func use(_ policy: StandardPolicy) { file.replace(with: policy) }

    /// The policy that a room gets the next time it opens.
    ///
    /// - Throws: a 503 if the policy is unknown. A wrong policy could admit peers who must not
    ///   join.
    func policy(of room: RoomID) async throws(APIError) -> RoomPolicy {
        let template: RoomTemplate
        do throws(CatalogueError) {
            template = try await catalogue.template(of: room)
        } catch {
            throw .unavailable("rooms cannot be looked up", error.description)
        }
        switch template {
        case .standard:
            return standardPolicy
        case .missing(let id):
            throw .unavailable("the room's template cannot be used", "template \(id) is not there")
        case .written(let template):
            // The template was checked when it was saved, but the settings may have changed since.
            do {
                return try policy(of: template.contents, id: template.id)
            } catch {
                throw .unavailable(
                    "the room's template cannot be used",
                    "template \(template.id): \(Self.reason(error))")
            }
        }
    }

    func check(_ document: TemplateDocument, id: String) throws(APIError) {
        do {
            _ = try policy(of: document, id: id)
        } catch {
            throw .invalidTemplate(Self.reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case RoomError.invalidPolicy(let reason): reason
        case SettingsError.invalid(_, let reason): reason
        default: "\(error)"
        }
    }

    private func policy(of document: TemplateDocument, id: String) throws -> RoomPolicy {
        struct File: Encodable {
            var id: String
            var roles: TemplateDocument.Object
            var settings: TemplateDocument.Object
            var destinations: TemplateDocument.Object
            var recordings: JSONValue?
        }
        let file = File(
            id: id, roles: document.roles, settings: document.settings,
            destinations: document.destinations, recordings: document.recordings)
        let text = String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
        let policy = try PolicyFile.policy(fromJSON: text)
        var streams = standardPolicy.streams
        try streams.read(policy)
        return RoomPolicy(policy: policy, streams: streams)
    }
}

/// The policy of the policy file, as a template and as rooms use it.
struct StandardPolicy: Sendable {
    let template: StandardTemplate
    let policy: RoomPolicy

    /// - Throws: `SettingsError` for an invalid destination.
    init(_ policy: Policy, streams: StreamSettings) throws {
        var streams = streams
        try streams.read(policy)
        self.policy = RoomPolicy(policy: policy, streams: streams)
        template = StandardTemplate(id: policy.templateID, document: try TemplateDocument(policy))
    }
}

/// The policy file's policy, which all copies of a store use.
private final class HeldPolicy: Sendable {
    private let policy: Mutex<StandardPolicy>

    init(_ policy: StandardPolicy) { self.policy = Mutex(policy) }

    var current: StandardPolicy { policy.withLock { $0 } }

    func replace(with policy: StandardPolicy) { self.policy.withLock { $0 = policy } }
}

extension TemplateDocument {
    /// Spells a policy out in full.
    init(_ policy: Policy) throws {
        var roles: Object = [:]
        for role in policy.roles { roles[role.name] = try JSONValue(encoding: role) }
        var settings: Object = [:]
        if let roomState = policy.roomState {
            settings["roomState"] = try JSONValue(encoding: roomState)
        }
        self.init(
            roles: roles, settings: settings,
            destinations: [
                "hlsDestinations": try JSONValue(encoding: policy.hlsDestinations),
                "browserRecordings": try JSONValue(encoding: policy.recordingDestinations),
            ])
    }
}

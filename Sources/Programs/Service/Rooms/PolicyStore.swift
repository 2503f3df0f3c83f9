import Catalogue
import ControlAPI
import Foundation
import HundredMS
import MediaKernel
import Rooms

/// A policy, and how streams are made in rooms that have it.
struct RoomPolicy: Sendable {
    var policy: Policy
    var streams: StreamSettings
}

/// The policies of rooms: that of the policy file, and those of templates in the catalogue.
struct PolicyStore: TemplateControl {
    let standard: StandardTemplate
    let standardPolicy: RoomPolicy
    private let catalogue: Catalogue

    /// - Parameter streams: how they are made where a policy says nothing.
    /// - Throws: `SettingsError` for a destination that cannot be.
    init(policy: Policy, streams: StreamSettings, catalogue: Catalogue) throws {
        var streams = streams
        try streams.read(policy)
        standardPolicy = RoomPolicy(policy: policy, streams: streams)
        standard = StandardTemplate(id: policy.templateID, document: try TemplateDocument(policy))
        self.catalogue = catalogue
    }

    /// What a room has the next time that it opens.
    ///
    /// - Throws: a 503 when it cannot be told. Another policy than the room's would let in who
    ///   must not.
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
            // It was checked when it was written, against settings that may have changed.
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

extension TemplateDocument {
    /// A policy, of which everything has been spelled out.
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

internal import HundredMSTerms
internal import MediaKernel
public import Rooms

/// Reads a policy from JSON: the parts of a 100ms template that Roomcast supports.
///
/// ```json
/// {"id": "…", "name": "…",   or   "template_id": "…",
///  "roles": {"host": {"priority": 1, "publishParams": {…}, …}, …}   or   [{"name": "host", …}, …],
///  "destinations": {"hlsDestinations": {"default": {"layers": […], …}}},
///  "recordings": [{"name": "default", "compositeRecording": {…}, …}],
///  "settings": {"roomState": {"enabled": true, "sendPeerList": true, "messageInterval": 5}}}
/// ```
///
/// Unknown fields are ignored. A role's fields are those of ``Rooms/Role``; `isHidden` is
/// Roomcast's own. 100ms' recorder role is hidden even without it, since exported templates list it
/// among the other roles.
public enum PolicyFile {
    /// In bytes; a template with a hundred roles has a tenth of this.
    public static let bytesMaximum = 1 << 20

    /// - Throws: ``Rooms/RoomError/invalidPolicy(_:)`` with the reason, which names the field.
    public static func policy(fromJSON text: String) throws(RoomError) -> Policy {
        guard text.utf8.count <= bytesMaximum else {
            throw .invalidPolicy("the file is longer than \(bytesMaximum) bytes")
        }
        let file: Contents
        do {
            file = try FrameCodec.decode(Contents.self, from: text, limits: .standard)
        } catch .malformed {
            throw .invalidPolicy("the file is not a JSON object")
        } catch .missingParameter(let path) {
            throw .invalidPolicy("'\(path)' is missing")
        } catch .badParameter(let path, let fault) {
            throw .invalidPolicy("'\(path)' \(fault.words)")
        } catch {
            throw .invalidPolicy(error.message)
        }
        let roomState = file.settings?.roomState
        let policy = try Policy(
            validating: file.roles.list.withRecorder,
            templateID: file.templateID ?? file.id ?? "default",
            hlsDestinations: file.destinations?.hlsDestinations ?? [:],
            recordingDestinations: (file.destinations?.browserRecordings ?? [:]).merging(
                (file.recordings ?? []).map { ($0.name, $0.destination) }
            ) { $1 },
            recordsRooms: file.settings?.recording?.enabled ?? false, roomState: roomState)
        let faults = TemplateRules.faults(of: file.roles.list, roomState: roomState)
        guard faults.isEmpty else { throw .invalidPolicy(faults.joined(separator: "; ")) }
        return policy
    }

    private struct Contents: Decodable {
        var templateID: String?
        /// 100ms' own name for it.
        var id: String?
        var roles: Roles
        var destinations: Destinations?
        var settings: TemplateSettings?
        var recordings: [RecordingConfiguration]?

        enum CodingKeys: String, CodingKey {
            case templateID = "template_id"
            case id, roles, destinations, settings, recordings
        }
    }

    private struct TemplateSettings: Decodable {
        var roomState: RoomStateSettings?
        var recording: Recording?

        struct Recording: Decodable {
            /// 100ms' older setting for recording each room.
            var enabled: Bool?
        }
    }

    private struct Destinations: Decodable {
        var hlsDestinations: [String: HLSDestination]?
        var browserRecordings: [String: RecordingDestination]?
    }

    /// A list, or, as in 100ms' templates, an object by name, whose roles need not repeat their
    /// names.
    private struct Roles: Decodable {
        var list: [Role]

        init(from decoder: any Decoder) throws {
            if var values = try? decoder.unkeyedContainer() {
                list = []
                while !values.isAtEnd { list.append(try values.decode(Role.self)) }
            } else {
                let values = try decoder.container(keyedBy: JSONKey.self)
                list = try values.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    try values.decode(NamedRole.self, forKey: key).role(named: key.stringValue)
                }
            }
        }
    }

    /// A role without its name.
    private struct NamedRole: Decodable {
        private var role: Role

        func role(named name: String) -> Role {
            var role = role
            role.name = name
            return role
        }

        init(from decoder: any Decoder) throws { role = try Role(unnamed: decoder) }
    }
}

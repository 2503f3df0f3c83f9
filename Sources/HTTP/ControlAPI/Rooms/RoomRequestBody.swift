import Catalogue
import HTTPTypes
import MediaKernel
import Webhooks

/// The properties of a new or changed room. All are optional, and missing ones stay unchanged.
/// Features of 100ms that do not exist here are refused.
struct RoomRequestBody: RequestBody {
    /// A caller may change a response and send it back with its other fields.
    static let fields = BodyFields(
        CodingKeys.self,
        [
            .webhook: .object(BodyFields(["url", "headers"])),
            .recordingInfo: .object(
                BodyFields(RecordingInfo.CodingKeys.self, passed: ["enabled_source_template"])),
        ],
        passed: [
            "id", "customer_id", "customer", "app_id", "key", "created_at", "updated_at",
            "recording", "recording_source_template", "enabled_source_template",
        ])

    /// An empty address removes the room's webhook.
    struct Webhook: Decodable {
        var url: String
        var headers: [String: String]?

        var isOne: Bool { !url.isEmpty }
    }

    /// 100ms' recordings of single peers.
    struct RecordingInfo: Decodable {
        var enabled: Bool?
        var upload: JSONValue?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case enabled
            case upload = "upload_info"
        }
    }

    var name: String?
    /// Whether a new room's id is its name.
    var hasPlainID: Bool?
    var description: String?
    var templateID: String?
    /// The template's name in responses; ``templateID`` selects the template.
    var template: JSONValue?
    var region: String?
    var enabled: Bool?
    var largeRoom: Bool?
    var size: Int?
    var durationMaximum: Int?
    var webhook: Webhook?
    var polls: [JSONValue]?
    var recordingInfo: RecordingInfo?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, description, template, region, enabled, size, webhook, polls
        case recordingInfo = "recording_info"
        case templateID = "template_id"
        case largeRoom = "large_room"
        case durationMaximum = "max_duration_seconds"
        case hasPlainID = "plain_id"
    }

    /// - Throws: 100ms' 400 for a new room that names its template in the wrong field. A change may
    ///   have it there, because it may be a response that was changed and sent back.
    func checkNew() throws(APIError) {
        guard template == nil else {
            throw .badRequest("Invalid body param", "Invalid body param: template. Use template_id")
        }
    }

    /// The id of a new room.
    ///
    /// - Throws: a 400 for a name that cannot be one.
    func newID() throws(APIError) -> RoomID {
        guard hasPlainID == true else { return RoomID(Hexadecimal.identifier()) }
        guard let name, RoomID.isValid(name) else {
            throw .badRequest(
                "name is not valid", "with plain_id, 1 to 64 of A-Z, a-z, 0-9, - and _")
        }
        return RoomID(name)
    }

    /// - Throws: a 400 for what only a new room can have.
    func checkChange() throws(APIError) {
        guard hasPlainID == nil else {
            throw .badRequest("plain_id is not valid", "a room keeps the id that it was made with")
        }
    }

    /// - Throws: a 400 that names the field. Does not check whether the template exists.
    func check() throws(APIError) {
        if let name, !Limits.isRoomName(name) {
            throw .badRequest(
                "name is not valid", "1 to \(Limits.roomNameCharacters) of A-Z, a-z, 0-9, . - : _")
        }
        if let description, description.utf8.count > Limits.roomDescriptionBytes {
            throw .badRequest(
                "description is not valid", "at most \(Limits.roomDescriptionBytes) bytes")
        }
        if let region, !Limits.regions.contains(region) { throw .regionNotSupported() }
        let seconds = Limits.sessionSeconds
        if let durationMaximum, durationMaximum != 0, !seconds.contains(durationMaximum) {
            throw .badRequest(
                "max_duration_seconds is not valid",
                "\(seconds.lowerBound) to \(seconds.upperBound), or 0 for any")
        }
        try webhook?.check()
        guard polls?.isEmpty ?? true else {
            throw .badRequest("polls are not supported", "peers make them in the room")
        }
        guard recordingInfo?.enabled != true, recordingInfo?.upload == nil else {
            throw .badRequest(
                "recording_info is not supported",
                "the recording of a template's destinations says what is recorded of streams; "
                    + "POST /v2/recordings/room/<room_id>/start records without one")
        }
    }

    /// - Parameter standard: the template of rooms without one.
    /// - Returns: false, with the room unchanged, for a size that such a room cannot have.
    func change(_ room: inout CatalogueRoom, standard: String) -> Bool {
        let isLarge = largeRoom ?? room.isLarge
        let sizes = isLarge ? Limits.largeRoomSizes : Limits.roomSizes
        guard sizes.contains(size ?? room.size) else { return false }
        room.isLarge = isLarge
        room.size = size ?? room.size
        room.name = name ?? room.name
        room.description = description ?? room.description
        room.isEnabled = enabled ?? room.isEnabled
        if let templateID { room.template = templateID == standard ? nil : templateID }
        if let durationMaximum {
            room.durationMaximum = durationMaximum == 0 ? nil : .seconds(durationMaximum)
        }
        if let webhook {
            room.webhook =
                webhook.isOne
                ? RoomWebhook(url: webhook.url, headers: webhook.headers ?? [:]) : nil
        }
        return true
    }
}

extension RoomRequestBody.Webhook {
    /// The receiver may not set a request's framing and destination.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    fileprivate func check() throws(APIError) {
        guard isOne else { return }
        guard url.utf8.count <= Limits.webhookURLBytes, WebhookAddress.isUsable(url) else {
            throw .badRequest(
                "webhook is not valid",
                "url is an http or https address of at most \(Limits.webhookURLBytes) bytes")
        }
        let headers = headers ?? [:]
        guard headers.count <= Limits.webhookHeaders else {
            throw .badRequest("webhook is not valid", "at most \(Limits.webhookHeaders) headers")
        }
        for (name, value) in headers {
            let lower = name.lowercased()
            guard HTTPField.Name(name) != nil, !lower.hasPrefix("x-roomcast-"),
                !Self.reserved.contains(lower), HTTPField.isValidValue(value),
                name.utf8.count + value.utf8.count <= Limits.webhookHeaderBytes
            else {
                throw .badRequest(
                    "webhook is not valid", "header '\(name.prefix(64))' cannot be sent")
            }
        }
    }
}

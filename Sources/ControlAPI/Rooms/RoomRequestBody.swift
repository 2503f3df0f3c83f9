import Catalogue
import MediaKernel

/// What a room is to be like. Everything in it is optional, and what it does not name stays as it
/// is; fields of 100ms that mean nothing here (`recording_info`, `polls`) are ignored, as unknown
/// ones are.
struct RoomRequestBody: Decodable {
    var name: String?
    var description: String?
    var templateID: String?
    /// In responses the template's name; ``templateID`` is what says which one.
    var template: JSONValue?
    var region: String?
    var enabled: Bool?
    var largeRoom: Bool?
    var size: Int?
    var durationMaximum: Int?

    enum CodingKeys: String, CodingKey {
        case name, description, template, region, enabled, size
        case templateID = "template_id"
        case largeRoom = "large_room"
        case durationMaximum = "max_duration_seconds"
    }

    /// - Throws: 100ms' 400 for a new room that names its template in the wrong field. A change may
    ///   have it there: it may be a response, changed and sent back.
    func checkNew() throws(APIError) {
        guard template == nil else {
            throw .badRequest("Invalid body param", "Invalid body param: template. Use template_id")
        }
    }

    /// - Throws: a 400 that names the field. Whether there is such a template is not its concern.
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
    }

    /// - Parameter standard: the template of rooms that name none.
    /// - Returns: false, with the room as it was, for a size that such a room cannot have.
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
        return true
    }
}

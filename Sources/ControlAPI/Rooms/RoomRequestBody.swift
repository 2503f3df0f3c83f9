import Catalogue
import MediaKernel

/// What a room is to be like. Everything in it is optional, and what it does not name stays as it
/// is; fields of 100ms that mean nothing here (`recording_info`, `polls`) are ignored, as unknown
/// ones are.
struct RoomRequestBody: Decodable {
    var name: String?
    var description: String?
    var templateID: String?
    var region: String?
    var enabled: Bool?
    var largeRoom: Bool?
    var size: Int?
    var maxDuration: Int?

    enum CodingKeys: String, CodingKey {
        case name, description, region, enabled, size
        case templateID = "template_id"
        case largeRoom = "large_room"
        case maxDuration = "max_duration_seconds"
    }

    private static let regions = ["auto", "eu", "in", "us"]

    /// - Parameter template: the only one that there is.
    /// - Throws: a 400 that names the field.
    func check(template: String) throws(APIError) {
        if let name, !Limits.isRoomName(name) {
            throw .badRequest(
                "name is not valid", "1 to \(Limits.roomNameCharacters) of A-Z, a-z, 0-9, . - : _")
        }
        if let description, description.utf8.count > Limits.roomDescriptionBytes {
            throw .badRequest(
                "description is not valid", "at most \(Limits.roomDescriptionBytes) bytes")
        }
        if let templateID, templateID != template {
            throw .badRequest("template not found", "rooms of this server have '\(template)'")
        }
        if let region, !Self.regions.contains(region) {
            throw .badRequest(
                "region is not supported", "one of \(Self.regions.joined(separator: ", "))")
        }
        let seconds = Limits.sessionSeconds
        if let maxDuration, maxDuration != 0, !seconds.contains(maxDuration) {
            throw .badRequest(
                "max_duration_seconds is not valid",
                "\(seconds.lowerBound) to \(seconds.upperBound), or 0 for any")
        }
    }

    /// - Returns: false, with the room as it was, for a size that such a room cannot have.
    func change(_ room: inout CatalogueRoom) -> Bool {
        let isLarge = largeRoom ?? room.isLarge
        let sizes = isLarge ? Limits.largeRoomSizes : Limits.roomSizes
        guard sizes.contains(size ?? room.size) else { return false }
        room.isLarge = isLarge
        room.size = size ?? room.size
        room.name = name ?? room.name
        room.description = description ?? room.description
        room.isEnabled = enabled ?? room.isEnabled
        if let maxDuration { room.maxDuration = maxDuration == 0 ? nil : .seconds(maxDuration) }
        return true
    }
}

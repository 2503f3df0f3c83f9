import Catalogue
import MediaKernel

/// A room in the control API: 100ms' object.
struct RoomBody: Encodable {
    var room: CatalogueRoom
    /// The id and the name of the room's policy.
    var templateID: String
    var templateName: String
    /// The room's owner: the access key, as in webhooks.
    var account: String

    enum CodingKeys: String, CodingKey {
        case id, name, enabled, description, customer, template, region, size, webhook
        case customerID = "customer_id"
        case appID = "app_id"
        case recordingInfo = "recording_info"
        case templateID = "template_id"
        case largeRoom = "large_room"
        case durationMaximum = "max_duration_seconds"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(room.id, forKey: .id)
        try container.encode(room.name, forKey: .name)
        try container.encode(room.isEnabled, forKey: .enabled)
        try container.encode(room.description, forKey: .description)
        // Older and newer clients read different ones of these.
        try container.encode(account, forKey: .customerID)
        try container.encode(account, forKey: .customer)
        try container.encode(account, forKey: .appID)
        // 100ms' recordings of single peers do not exist here.
        try container.encode(["enabled": false], forKey: .recordingInfo)
        try container.encode(templateID, forKey: .templateID)
        try container.encode(templateName, forKey: .template)
        try container.encode("auto", forKey: .region)
        try container.encode(room.size, forKey: .size)
        try container.encode(room.isLarge, forKey: .largeRoom)
        try container.encodeIfPresent(
            room.durationMaximum?.components.seconds, forKey: .durationMaximum)
        try container.encodeIfPresent(room.webhook, forKey: .webhook)
        try container.encode(
            room.createdAt.description, forKey: .createdAt)
        try container.encode(
            room.updatedAt.description, forKey: .updatedAt)
    }
}

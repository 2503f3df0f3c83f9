import Catalogue
import MediaKernel
import OpenVidu

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The receiver of events.
public struct OpenViduWebhook: Hashable, Sendable {
    public var url: String
    /// By name.
    public var headers: [String: String]
    /// The names of events that it gets.
    public var events: Set<String>

    public init(url: String, headers: [String: String] = [:], events: Set<String>) {
        self.url = url
        self.headers = headers
        self.events = events
    }
}

extension OpenViduWebhook {
    /// In the catalogue.
    static let receiver = "openvidu"

    func wants(_ event: CallDetail.Event) -> Bool { events.contains(event.rawValue) }

    /// An event to send; nil for one that is not wanted.
    func delivery(
        of detail: CallDetail, id: String = Hexadecimal.identifier()
    ) -> CatalogueDelivery? {
        guard wants(detail.event) else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and flags always encode.
        guard let body = try? encoder.encode(detail.body) else { return nil }
        // Later sessions of the room need not wait for what a receiver refuses of this one.
        let line = "\(Self.receiver)-\(detail.session ?? detail.room.rawValue)"
        return CatalogueDelivery(
            id: id, line: line, room: detail.room,
            kind: detail.event.rawValue, receiver: Self.receiver, body: Array(body),
            createdAt: detail.time)
    }
}

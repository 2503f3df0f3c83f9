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
        // Later sessions of the room need not wait for what a receiver refuses of this one.
        let line = "\(Self.receiver)-\(detail.session ?? detail.room.rawValue)"
        return CatalogueDelivery(
            id: id, line: line, room: detail.room,
            kind: detail.event.rawValue, receiver: Self.receiver,
            keeping: detail.event.keeping, body: StableJSON.bytes(detail.body),
            createdAt: detail.time)
    }
}

extension CallDetail.Event {
    /// OpenVidu has no history of its events. A participant sends as many signals as its rate
    /// allows, so they must not displace what is told of sessions and recordings.
    fileprivate var keeping: CatalogueDelivery.Keeping {
        switch self {
        case .signalSent: .minor
        case .sessionCreated, .sessionDestroyed, .participantJoined, .participantLeft,
            .webrtcConnectionCreated, .webrtcConnectionDestroyed:
            .major
        // Derived from the recording's record whenever that is written.
        case .recordingStatusChanged: .identity
        }
    }
}

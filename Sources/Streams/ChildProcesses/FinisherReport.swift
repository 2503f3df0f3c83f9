/// A finisher's report to the server.
public enum FinisherReport: ProcessReport {
    /// Progress in thousandths.
    case progress(Int)
    /// A segment is missing from the assets, since the recorded file is unreadable.
    case leftOut(layer: Int, segment: Int)
    /// The assets are complete but have no thumbnails.
    case withoutThumbnails(reason: String)
    /// The assets are complete but for this file.
    case withoutFile(name: String, reason: String)
    /// The manifest is written and contains this many assets.
    case finished(assets: Int)
    /// - Parameter isForWantOfRoom: whether a disk is full.
    case failed(reason: String, isForWantOfRoom: Bool)

    private enum Event: String, Codable {
        case progress
        case leftOut = "left_out"
        case withoutThumbnails = "without_thumbnails"
        case withoutFile = "without_file"
        case finished, failed
    }

    private enum CodingKeys: String, CodingKey {
        case event, permille, layer, segment, assets, name, reason
        case isForWantOfRoom = "no_room"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let permille):
            try container.encode(Event.progress, forKey: .event)
            try container.encode(permille, forKey: .permille)
        case .leftOut(let layer, let segment):
            try container.encode(Event.leftOut, forKey: .event)
            try container.encode(layer, forKey: .layer)
            try container.encode(segment, forKey: .segment)
        case .withoutThumbnails(let reason):
            try container.encode(Event.withoutThumbnails, forKey: .event)
            try container.encode(reason, forKey: .reason)
        case .withoutFile(let name, let reason):
            try container.encode(Event.withoutFile, forKey: .event)
            try container.encode(name, forKey: .name)
            try container.encode(reason, forKey: .reason)
        case .finished(let assets):
            try container.encode(Event.finished, forKey: .event)
            try container.encode(assets, forKey: .assets)
        case .failed(let reason, let isForWantOfRoom):
            try container.encode(Event.failed, forKey: .event)
            try container.encode(reason, forKey: .reason)
            try container.encode(isForWantOfRoom, forKey: .isForWantOfRoom)
        }
    }

    /// Missing fields get defaults: the event itself counts most.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Event.self, forKey: .event) {
        case .progress: self = .progress(try container.found(.permille, or: 0))
        case .leftOut:
            self = .leftOut(
                layer: try container.found(.layer, or: 0),
                segment: try container.found(.segment, or: 0))
        case .withoutThumbnails:
            self = .withoutThumbnails(reason: try container.found(.reason, or: "no reason given"))
        case .withoutFile:
            self = .withoutFile(
                name: try container.found(.name, or: "a file"),
                reason: try container.found(.reason, or: "no reason given"))
        case .finished: self = .finished(assets: try container.found(.assets, or: 0))
        case .failed:
            self = .failed(
                reason: try container.found(.reason, or: "no reason given"),
                isForWantOfRoom: try container.found(.isForWantOfRoom, or: false))
        }
    }
}

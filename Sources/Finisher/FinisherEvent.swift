import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a finisher tells its parent: one JSON object a line on standard output.
public enum FinisherEvent: Hashable, Sendable, Encodable {
    /// How far it is, in thousandths.
    case progress(Int)
    /// A segment is in no asset, since it cannot be read as it was recorded.
    case leftOut(layer: Int, segment: Int)
    /// The assets are whole, but have none.
    case withoutThumbnails(reason: String)
    /// The manifest is written; so many assets are in it.
    case finished(assets: Int)
    /// - Parameter isForWantOfRoom: whether a disk is full.
    case failed(reason: String, isForWantOfRoom: Bool)

    enum CodingKeys: String, CodingKey {
        case event, permille, layer, segment, assets, reason
        case isForWantOfRoom = "no_room"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let permille):
            try container.encode("progress", forKey: .event)
            try container.encode(permille, forKey: .permille)
        case .leftOut(let layer, let segment):
            try container.encode("left_out", forKey: .event)
            try container.encode(layer, forKey: .layer)
            try container.encode(segment, forKey: .segment)
        case .withoutThumbnails(let reason):
            try container.encode("without_thumbnails", forKey: .event)
            try container.encode(reason, forKey: .reason)
        case .finished(let assets):
            try container.encode("finished", forKey: .event)
            try container.encode(assets, forKey: .assets)
        case .failed(let reason, let isForWantOfRoom):
            try container.encode("failed", forKey: .event)
            try container.encode(reason, forKey: .reason)
            try container.encode(isForWantOfRoom, forKey: .isForWantOfRoom)
        }
    }

    /// Writes the line, whole. A parent that is gone reads nothing, which ends nothing here.
    public func write() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(self) else { return }
        line.append(10)
        line.withUnsafeBytes { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

import Glibc
import MediaKernel
import Synchronization

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
    case failed(reason: String)

    enum CodingKeys: String, CodingKey { case event, permille, layer, segment, assets, reason }

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
        case .failed(let reason):
            try container.encode("failed", forKey: .event)
            try container.encode(reason, forKey: .reason)
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

/// How far two jobs are together. Tells only steps that show.
final class ProgressMeter: Sendable {
    /// In thousandths.
    private static let step = 10

    private let state = Mutex<(done: [Int], told: Int)>(([], 0))
    private let report: @Sendable (FinisherEvent) -> Void

    /// - Parameter jobs: how many there are.
    init(jobs: Int, report: @escaping @Sendable (FinisherEvent) -> Void) {
        state.withLock { $0.done = Array(repeating: 0, count: jobs) }
        self.report = report
    }

    func reached(_ done: Int, of all: Int, job: Int) {
        let told = state.withLock { state -> Int? in
            state.done[job] = done * 1000 / max(1, all)
            let permille = state.done.reduce(0, +) / state.done.count
            guard permille >= state.told + Self.step else { return nil }
            state.told = permille
            return permille
        }
        if let told { report(.progress(told)) }
    }
}

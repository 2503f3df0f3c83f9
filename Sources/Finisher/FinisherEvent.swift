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

/// How far some jobs are together. Tells steps that show, and now and then that it goes on, since
/// the server takes a finisher for stuck that says nothing.
final class ProgressMeter: Sendable {
    /// In thousandths.
    private static let step = 10
    private static let silenceMaximum: Duration = .seconds(10)

    private struct State {
        /// In thousandths, of each job.
        var done: [Int] = []
        var told = 0
        var toldAt: UnixTime
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> UnixTime
    private let report: @Sendable (FinisherEvent) -> Void

    init(
        now: @escaping @Sendable () -> UnixTime,
        report: @escaping @Sendable (FinisherEvent) -> Void
    ) {
        state = Mutex(State(toldAt: now()))
        self.now = now
        self.report = report
    }

    /// So many jobs begin. What is told never goes back, also when they are done once more.
    func begin(jobs: Int) { state.withLock { $0.done = Array(repeating: 0, count: jobs) } }

    func reached(_ done: Int, of all: Int, job: Int) {
        state.withLock { $0.done[job] = done * 1000 / max(1, all) }
        goesOn()
    }

    /// Something was done, in a job or beside them.
    func goesOn() {
        let time = now()
        let told = state.withLock { state -> Int? in
            let permille = state.done.reduce(0, +) / max(1, state.done.count)
            // The clock is the wall's, which may be set back.
            let isSilent = !(state.toldAt..<state.toldAt + Self.silenceMaximum).contains(time)
            guard permille >= state.told + Self.step || isSilent else { return nil }
            state.told = max(permille, state.told)
            state.toldAt = time
            return state.told
        }
        if let told { report(.progress(told)) }
    }
}

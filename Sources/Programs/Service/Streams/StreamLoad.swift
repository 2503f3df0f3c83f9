import ControlAPI
import HLS
import MediaKernel

/// What a stream's bot uses and makes, over its latest reports.
struct StreamLoad: Hashable, Sendable {
    /// Averages are over so long, or over two reports if they are further apart.
    static let window: Duration = .seconds(12)
    /// Without news for so long nothing is made any more.
    static let patience: Duration = .seconds(30)
    /// A bot is not trusted: no machine has more, and no stream is faster.
    private static let megabytesMaximum = 1e9
    private static let bitrateMaximum = 1e12

    /// A total that only grows, with the time of each report.
    private struct Total: Hashable {
        private var points: [Point] = []

        private struct Point: Hashable {
            let instant: Instant
            let value: Double
        }

        var last: Double { points.last?.value ?? 0 }

        mutating func note(_ value: Double, at now: Instant) {
            // Counted in by a caller who is wrong: what cannot be is left out.
            guard value.isFinite, value >= last else { return }
            points.append(Point(instant: now, value: value))
            while points.count > 2, now - points[1].instant >= StreamLoad.window {
                points.removeFirst()
            }
        }

        /// Per second; nil until there are two reports.
        func rate(at now: Instant) -> Double? {
            guard let first = points.first, let last = points.last else { return nil }
            guard now - last.instant < StreamLoad.patience else { return 0 }
            let seconds = (last.instant - first.instant).inSeconds
            return seconds > 0 ? (last.value - first.value) / seconds : nil
        }
    }

    private var processor = Total()
    private var memory: Int64?
    /// Bytes by layer.
    private var layers: [Int: Total] = [:]
    private var written: Int64 = 0

    /// - Parameters:
    ///   - cpuSeconds: of the present bot, since it started.
    ///   - megabytes: the most memory that it has had.
    mutating func used(cpuSeconds: Double, megabytes: Double, at now: Instant) {
        processor.note(cpuSeconds, at: now)
        guard (0...Self.megabytesMaximum).contains(megabytes) else { return }
        memory = Int64(megabytes * 1e6)
    }

    mutating func published(_ bytes: Int, layer: Int, at now: Instant) {
        guard (0...Int(Int32.max)).contains(bytes), (0..<Ladder.layersMaximum).contains(layer)
        else { return }
        written += Int64(bytes)
        var total = layers[layer] ?? Total()
        total.note(total.last + Double(bytes), at: now)
        layers[layer] = total
    }

    /// Another process: its CPU time begins at zero.
    mutating func botStarted() {
        processor = Total()
        memory = nil
        layers = [:]
    }

    /// - Parameter count: of layers.
    func figures(layers count: Int, at now: Instant) -> StreamFigures {
        StreamFigures(
            bitrates: (0..<count).map { layer in
                layers[layer]?.rate(at: now).map { Int(min($0 * 8, Self.bitrateMaximum)) }
            },
            cores: processor.rate(at: now), memory: memory, written: written)
    }
}

import Foundation

/// Takes every third sample of one channel, 48 kHz to 16 kHz, after a filter that leaves nothing
/// above the new half rate. Without delay: the result's first sample is the input's first.
struct Decimator {
    static let factor = 3
    /// On each side of a tap's centre: 2 ms.
    private static let reach = 96

    /// A windowed sinc (Blackman), 3 dB down at 7.2 kHz.
    private static let taps: [Float] = {
        let cut = 7_200.0 / 48_000
        let taps = (-reach...reach).map { n -> Double in
            let x = Double(n)
            let sinc = n == 0 ? 2 * cut : sin(2 * .pi * cut * x) / (.pi * x)
            let phase = .pi * x / Double(reach + 1)
            return sinc * (0.42 + 0.5 * cos(phase) + 0.08 * cos(2 * phase))
        }
        let sum = taps.reduce(0, +)
        return taps.map { Float($0 / sum) }
    }()

    /// Input from `reach` samples before the next result on.
    private var history = [Float](repeating: 0, count: reach)

    /// - Returns: the results that are complete.
    mutating func process(_ input: [Float]) -> [Float] {
        history += input
        let taps = Self.taps
        var output: [Float] = []
        output.reserveCapacity(input.count / Self.factor + 1)
        var position = 0
        history.withUnsafeBufferPointer { history in
            while position + taps.count <= history.count {
                var sum: Float = 0
                for index in taps.indices { sum += taps[index] * history[position + index] }
                output.append(sum)
                position += Self.factor
            }
        }
        history.removeFirst(position)
        return output
    }

    /// The results of the last samples.
    mutating func flush() -> [Float] {
        process([Float](repeating: 0, count: Self.reach + Self.factor - 1))
    }
}

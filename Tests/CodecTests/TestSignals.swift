import Codec
import MediaKernel

/// Pictures and sounds that tests can recognise after decoding.
enum TestSignals {
    /// A still gradient with a bar that moves four pixels per frame.
    static func movingBar(width: Int, height: Int, index: Int) throws -> VideoFrame {
        try VideoFrame.make(width: width, height: height) { planes in
            let left = (index * 4) % max(1, width - 32)
            for row in 0..<height {
                let start = row * planes.y.stride
                for column in 0..<width {
                    let isBar = column >= left && column < left + 32
                    planes.y.bytes[start + column] =
                        isBar ? 220 : UInt8(40 + (column + row) * 120 / (width + height))
                }
            }
            planes.u.bytes.update(repeating: 110)
            planes.v.bytes.update(repeating: 140)
        }
    }

    /// `seconds` of stereo silence at 48 kHz with a beep of 100 ms at each whole second except the
    /// very first sample, where AAC has no earlier block to anticipate the onset.
    static func beeps(seconds: Int, frequency: Float = 1000) -> [Float] {
        var samples = [Float](repeating: 0, count: seconds * 48_000 * 2)
        for second in 1..<seconds {
            for n in 0..<4_800 {
                let phase = Float(n) * frequency * 2 * .pi / 48_000
                // A cosine starts at full height, so the onset is sharp.
                let value = 0.5 * cosine(phase)
                samples[(second * 48_000 + n) * 2] = value
                samples[(second * 48_000 + n) * 2 + 1] = value
            }
        }
        return samples
    }

    /// `seconds` of a steady stereo sine.
    static func sine(samples count: Int, frequency: Double, amplitude: Float = 0.5) -> [Float] {
        var samples = [Float](repeating: 0, count: count * 2)
        for n in 0..<count {
            let value = amplitude * sine(Float(Double(n) * frequency / 48_000))
            samples[2 * n] = value
            samples[2 * n + 1] = value
        }
        return samples
    }

    static func cosine(_ radians: Float) -> Float { sine(radians / (2 * .pi) + 0.25) }

    /// The sine of `turns` full circles.
    private static func sine(_ turns: Float) -> Float {
        let fraction = turns - turns.rounded(.down)
        // Bhaskara's formula is accurate to 0.2 %, plenty for a tone that a test detects.
        let half = fraction < 0.5 ? fraction : fraction - 0.5
        let x = half * 2
        let value = 16 * x * (1 - x) / (5 - 4 * x * (1 - x))
        return fraction < 0.5 ? value : -value
    }
}

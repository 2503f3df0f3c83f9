import Codec
import Compositor
import Foundation
import Workbench

/// Pictures of one size in rows and columns, each at two fifths of its size, as RGB.
struct ContactSheet {
    let width: Int
    let height: Int
    /// Red, green, blue.
    private let channels: [[UInt8]]
    private let luma: [Double]

    init(_ pictures: [VideoFrame], columns: Int) throws {
        let cellWidth = pictures[0].width * 2 / 5
        let cellHeight = pictures[0].height * 2 / 5
        let scaler = try FrameScaler(width: cellWidth, height: cellHeight)
        let rows = (pictures.count + columns - 1) / columns
        let sheetWidth = columns * cellWidth
        var channels = [[UInt8]](
            repeating: [UInt8](repeating: 0, count: sheetWidth * rows * cellHeight), count: 3)
        for (index, picture) in pictures.enumerated() {
            let origin = index / columns * cellHeight * sheetWidth + index % columns * cellWidth
            try scaler.scale(picture).withPlanes { planes in
                for y in 0..<cellHeight {
                    for x in 0..<cellWidth {
                        let colour = Self.rgb(
                            planes.y[x, y], planes.u[x / 2, y / 2], planes.v[x / 2, y / 2])
                        let at = origin + y * sheetWidth + x
                        (channels[0][at], channels[1][at], channels[2][at]) = colour
                    }
                }
            }
        }
        self.init(width: sheetWidth, height: rows * cellHeight, channels: channels)
    }

    init(png: Data) throws {
        let picture = try StillPicture.decode(Array(png), sideMaximum: 4000)
        let count = picture.width * picture.height
        self.init(
            width: picture.width, height: picture.height,
            channels: [2, 1, 0].map { channel in
                (0..<count).map { picture.pixels[$0 * 4 + channel] }
            })
    }

    private init(width: Int, height: Int, channels: [[UInt8]]) {
        self.width = width
        self.height = height
        self.channels = channels
        luma = channels[0].indices.map {
            0.299 * Double(channels[0][$0]) + 0.587 * Double(channels[1][$0])
                + 0.114 * Double(channels[2][$0])
        }
    }

    /// ITU-R BT.601, limited range.
    private static func rgb(_ y: UInt8, _ u: UInt8, _ v: UInt8) -> (UInt8, UInt8, UInt8) {
        let luma = 1.164 * (Double(y) - 16)
        let (cb, cr) = (Double(u) - 128, Double(v) - 128)
        func clamped(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
        return (
            clamped(luma + 1.596 * cr), clamped(luma - 0.392 * cb - 0.813 * cr),
            clamped(luma + 2.017 * cb)
        )
    }

    /// Writes a PNG file with `ffmpeg`, which the build needs anyway.
    func write(to file: URL) throws {
        var data = Data("P6\n\(width) \(height)\n255\n".utf8)
        for index in luma.indices { data.append(contentsOf: channels.map { $0[index] }) }
        let scratch = try Scratch()
        let raw = try scratch.write(data, to: "sheet.ppm")
        _ = try Program.run(
            "ffmpeg",
            [
                "-loglevel", "error", "-y", "-i", raw, "-pred", "mixed", "-compression_level",
                "9", file.path,
            ])
    }

    struct Comparison {
        /// Mean structural similarity of the windows, 1 for equal pictures.
        var similarity = 0.0
        var worst = 1.0
        var worstPlace = (x: 0, y: 0)
        var worstColour = 0.0
    }

    /// Structural similarity (Wang et al., 2004) over windows of 8 by 8 samples.
    func compared(to other: ContactSheet) -> Comparison {
        guard width == other.width, height == other.height else {
            return Comparison(similarity: 0, worst: 0, worstColour: 255)
        }
        var result = Comparison()
        var windows = 0.0
        for y in stride(from: 0, through: height - 8, by: 8) {
            for x in stride(from: 0, through: width - 8, by: 8) {
                let value = window(x, y, other)
                result.similarity += value
                windows += 1
                if value < result.worst { (result.worst, result.worstPlace) = (value, (x, y)) }
                result.worstColour = max(result.worstColour, colourDifference(x, y, other))
            }
        }
        result.similarity /= windows
        return result
    }

    private func window(_ x: Int, _ y: Int, _ other: ContactSheet) -> Double {
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for row in y..<y + 8 {
            for index in row * width + x..<row * width + x + 8 {
                let (p, q) = (luma[index], other.luma[index])
                a += p
                b += q
                aa += p * p
                bb += q * q
                ab += p * q
            }
        }
        (a, b) = (a / 64, b / 64)
        let (varianceA, varianceB) = (aa / 64 - a * a, bb / 64 - b * b)
        let covariance = ab / 64 - a * b
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * a * b + c1) * (2 * covariance + c2)
            / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
    }

    private func colourDifference(_ x: Int, _ y: Int, _ other: ContactSheet) -> Double {
        var sum = 0
        for row in y..<y + 8 {
            for index in row * width + x..<row * width + x + 8 {
                for channel in 0..<3 {
                    sum += abs(
                        Int(channels[channel][index]) - Int(other.channels[channel][index]))
                }
            }
        }
        return Double(sum) / 192
    }
}

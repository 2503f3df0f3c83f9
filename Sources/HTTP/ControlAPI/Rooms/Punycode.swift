/// RFC 3492, with the names of its section 6.
enum Punycode {
    private static let base: UInt32 = 36
    private static let tMin: UInt32 = 1
    private static let tMax: UInt32 = 26
    private static let initialBias: UInt32 = 72
    private static let initialN: UInt32 = 128
    /// Encoding takes a step per character and distinct character.
    private static let scalarsMaximum = 64
    private static let bytesMaximum = 128

    static func encoded(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map(\.value)
        guard scalars.count <= scalarsMaximum else { return nil }
        var output = scalars.filter { $0 < initialN }.map { UInt8($0) }
        let basic = UInt32(output.count)
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (initialN, UInt32(0), initialBias, basic)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= n }).min() else { return nil }
            let (step, isTooLong) = (next - n).multipliedReportingOverflow(by: handled + 1)
            guard !isTooLong, delta <= UInt32.max - step else { return nil }
            delta += step
            n = next
            for scalar in scalars {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ delta: UInt32, _ bias: UInt32, to output: inout [UInt8]) {
        var q = delta
        var k = base
        while true {
            let t = threshold(k, bias)
            guard q >= t else { break }
            output.append(byte(of: t + (q - t) % (base - t)))
            q = (q - t) / (base - t)
            k += base
        }
        output.append(byte(of: q))
    }

    static func decoded(_ text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= bytesMaximum else { return nil }
        let end = bytes.lastIndex(of: UInt8(ascii: "-"))
        var output = bytes.prefix(end ?? 0).map { UInt32($0) }
        guard output.allSatisfy({ $0 < initialN }) else { return nil }
        var place = end.map { $0 + 1 } ?? 0
        var (n, i, bias) = (initialN, UInt32(0), initialBias)
        while place < bytes.count {
            let before = i
            guard let delta = number(bytes, &place, bias), delta <= UInt32.max - i else {
                return nil
            }
            i += delta
            let count = UInt32(output.count) + 1
            bias = adapted(i - before, count: count, isFirst: before == 0)
            guard n <= UInt32.max - i / count else { return nil }
            n += i / count
            i %= count
            guard Unicode.Scalar(n) != nil else { return nil }
            output.insert(n, at: Int(i))
            i += 1
        }
        var scalars = String.UnicodeScalarView()
        for value in output { scalars.append(Unicode.Scalar(value) ?? "?") }
        return String(scalars)
    }

    /// A number of variable length.
    private static func number(
        _ bytes: [UInt8], _ place: inout Int, _ bias: UInt32
    ) -> UInt32? {
        var (value, weight, k) = (UInt32(0), UInt32(1), base)
        while place < bytes.count {
            guard let digit = digit(of: bytes[place]) else { return nil }
            place += 1
            let (part, isTooLong) = digit.multipliedReportingOverflow(by: weight)
            guard !isTooLong, value <= UInt32.max - part else { return nil }
            value += part
            let t = threshold(k, bias)
            if digit < t { return value }
            let (next, isTooHeavy) = weight.multipliedReportingOverflow(by: base - t)
            guard !isTooHeavy else { return nil }
            weight = next
            k += base
        }
        return nil
    }

    private static func threshold(_ k: UInt32, _ bias: UInt32) -> UInt32 {
        k <= bias + tMin ? tMin : k >= bias + tMax ? tMax : k - bias
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }

    private static func byte(of value: UInt32) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value - 26 + 48)
    }

    private static func digit(of byte: UInt8) -> UInt32? {
        switch byte {
        case 97...122: UInt32(byte) - 97
        case 65...90: UInt32(byte) - 65
        case 48...57: UInt32(byte) - 22
        default: nil
        }
    }
}

import MediaKernel

/// The attributes of a tag: `NAME=value,NAME="value, with comma"`. RFC 8216 sect. 4.2.
struct AttributeList {
    private enum Value: Hashable {
        case quoted(String)
        case plain(String)
    }

    private var values: [String: Value] = [:]
    private let line: Int

    /// Attributes of one tag; RFC 8216 defines fewer than twenty for any.
    static let attributesMaximum = 64

    init(_ text: String, line: Int) throws(PlaylistError) {
        self.line = line
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let name = Self.take(&rest) { $0 != UInt8(ascii: "=") }
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte), rest.popFirst() != nil,
                values[name] == nil, values.count < Self.attributesMaximum
            else { throw .malformedAttribute(name, line: line) }
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                values[name] = .quoted(Self.take(&rest) { $0 != UInt8(ascii: "\"") })
                guard rest.popFirst() != nil else {
                    throw .malformedAttribute(name, line: line)
                }
            } else {
                values[name] = .plain(Self.take(&rest) { $0 != UInt8(ascii: ",") })
            }
            guard !rest.isEmpty else { return }
            // A comma, and something after it.
            guard rest.removeFirst() == UInt8(ascii: ","), !rest.isEmpty else {
                throw .malformedAttribute(name, line: line)
            }
        }
    }

    func decimalInteger(_ name: String) throws(PlaylistError) -> Int? {
        guard let text = try plain(name) else { return nil }
        guard let value = HLS.decimalInteger(text) else {
            throw .malformedAttribute(name, line: line)
        }
        return value
    }

    func quotedString(_ name: String) throws(PlaylistError) -> String? {
        switch values[name] {
        case nil: return nil
        case .quoted(let text): return text
        case .plain: throw .malformedAttribute(name, line: line)
        }
    }

    /// `<width>x<height>`.
    func resolution(_ name: String) throws(PlaylistError) -> (width: Int, height: Int)? {
        guard let text = try plain(name) else { return nil }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = HLS.decimalInteger(parts[0]),
            let height = HLS.decimalInteger(parts[1])
        else { throw .malformedAttribute(name, line: line) }
        return (width, height)
    }

    /// An unsigned decimal-floating-point, rounded to thousandths.
    func decimal(_ name: String) throws(PlaylistError) -> Double? {
        guard let text = try plain(name) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), text.utf8.count <= 18,
            parts.allSatisfy({ HLS.decimalInteger($0) != nil }), let value = Double(text)
        else { throw .malformedAttribute(name, line: line) }
        return (value * 1000).rounded() / 1000
    }

    /// An unsigned decimal-floating-point, in seconds.
    func seconds(_ name: String) throws(PlaylistError) -> MediaTime? {
        guard let text = try plain(name) else { return nil }
        guard let time = MediaTime(decimalSeconds: text) else {
            throw .malformedAttribute(name, line: line)
        }
        return time
    }

    /// Without quotation marks.
    func enumeratedString(_ name: String) throws(PlaylistError) -> String? { try plain(name) }

    private func plain(_ name: String) throws(PlaylistError) -> String? {
        switch values[name] {
        case nil: return nil
        case .plain(let text): return text
        case .quoted: throw .malformedAttribute(name, line: line)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }

    private static func take(
        _ rest: inout ArraySlice<UInt8>, while condition: (UInt8) -> Bool
    ) -> String {
        let taken = rest.prefix(while: condition)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }
}

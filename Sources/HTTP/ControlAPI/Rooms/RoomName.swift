import Foundation
import MediaKernel

/// The ids of rooms whose names people write in any script.
///
/// Ids are `[A-Za-z0-9_-]`, since they are used in paths, tokens and directories. A name in other
/// characters becomes `xn--` and its Punycode (RFC 3492), as in internationalized domain names, so
/// that the name can be read from the id again. The pages do the same (`common/room-name.js`).
enum RoomName {
    private static let prefix = "xn--"

    /// - Returns: nil if nothing is left of the name, or the id would be too long.
    static func id(of name: String) -> RoomID? {
        // "Café" is "cafe", so most languages of Europe have plain ids.
        var letters = String.UnicodeScalarView()
        letters.append(
            contentsOf: name.decomposedStringWithCompatibilityMapping.unicodeScalars
                .filter { !(0x300...0x36F).contains($0.value) })
        let plain = slug(String(letters))
        var id = plain
        if !plain.unicodeScalars.allSatisfy(\.isASCII) {
            let whole = slug(name.precomposedStringWithCompatibilityMapping)
            id = Punycode.encoded(whole).map { prefix + $0 } ?? ""
        }
        return RoomID.isValid(id) ? RoomID(id) : nil
    }

    /// The name that an id was made of, or the id.
    static func title(of id: RoomID) -> String {
        guard id.rawValue.hasPrefix(prefix),
            let name = Punycode.decoded(id.rawValue.dropFirst(prefix.count)),
            // What was not made here is shown as it is.
            self.id(of: name) == id
        else { return id.rawValue }
        return name
    }

    /// Lower case; what is neither letter, mark, digit, emoji, underscore nor hyphen is a hyphen, and
    /// none is at an end.
    private static func slug(_ name: String) -> String {
        var scalars: [Unicode.Scalar] = []
        var isGap = false
        for scalar in name.lowercased().unicodeScalars {
            guard isKept(scalar) else {
                isGap = true
                continue
            }
            if isGap { scalars.append("-") }
            isGap = false
            scalars.append(scalar)
        }
        let whole = scalars.drop { $0 == "-" }
        let end = whole.lastIndex { $0 != "-" }.map { $0 + 1 } ?? whole.endIndex
        var slug = String.UnicodeScalarView()
        slug.append(contentsOf: whole[whole.startIndex..<end])
        return String(slug)
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return UInt8(ascii: scalar).isWord }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
            .otherNumber, .otherSymbol, .modifierSymbol:
            true
        default:
            // Joins emoji, and letters of some scripts.
            scalar.value == 0x200D || scalar.value == 0x200C
        }
    }
}

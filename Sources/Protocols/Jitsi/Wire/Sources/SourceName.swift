/// The name of a source: its owner, a letter for its kind, and its number among those of the owner,
/// as in `1a2b3c4d-v0`.
struct SourceName: Hashable {
    let owner: String
    let isVideo: Bool
    /// 0 for the microphone and the first video.
    let number: Int

    init(owner: String, isVideo: Bool, number: Int) {
        self.owner = owner
        self.isVideo = isVideo
        self.number = number
    }

    /// Nil for the name of another owner's source, and for one that nobody sends: what the server
    /// makes itself, such as a translated voice, has more behind the number.
    init?(_ text: String, owner: String) {
        guard !owner.isEmpty, text.utf8.count <= 256, text.hasPrefix(owner) else { return nil }
        let rest = text.utf8.dropFirst(owner.utf8.count)
        let digits = rest.dropFirst(2)
        guard rest.first == UInt8(ascii: "-"), 1...4 ~= digits.count,
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self))
        else { return nil }
        switch rest.dropFirst().first {
        case UInt8(ascii: "a"): isVideo = false
        case UInt8(ascii: "v"): isVideo = true
        default: return nil
        }
        self.owner = owner
        self.number = number
    }
}

extension SourceName: CustomStringConvertible {
    var description: String { "\(owner)-\(isVideo ? "v" : "a")\(number)" }
}

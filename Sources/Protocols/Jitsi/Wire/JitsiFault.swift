/// Why a part of a server's stanza or message cannot be used.
enum JitsiFault: Error, Hashable, CustomStringConvertible {
    case missing(String)
    case malformed(String)
    case tooMany(String, maximum: Int)

    var description: String {
        switch self {
        case .missing(let what): "no \(what)"
        case .malformed(let what): "\(what) is malformed"
        case .tooMany(let what, let maximum): "more than \(maximum) \(what)"
        }
    }
}

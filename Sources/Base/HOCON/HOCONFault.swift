/// Why a text was refused, in plain words, and where.
public struct HOCONFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let what: String
    public let place: HOCONPlace

    public init(_ what: String, at place: HOCONPlace) {
        self.what = what
        self.place = place
    }

    public var description: String { "\(place): \(what)" }
}

/// What is wrong with a parameter of a call.
public enum ParameterFault: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        case string, boolean, integer, number, array, object

        fileprivate var words: String {
            switch self {
            case .string, .boolean, .number: "a \(rawValue)"
            case .integer: "a whole number"
            case .array, .object: "an \(rawValue)"
            }
        }
    }

    /// It is of another kind.
    case mustBe(Kind)
    /// None of the values that it may have.
    case notAllowed
    case tooLong(bytes: Int, maximum: Int)
    case entries(Int, allowed: ClosedRange<Int>)
    /// The indexes of its entries are not 1 to `count`.
    case indexes(count: Int)
    /// Not known, or not any more.
    case unknown
    /// It has one value here: a description's type.
    case mustSay(String)
    /// It must be true beside that parameter.
    case neededBeside(String)
    /// It must be true without that parameter: there is nothing else to start.
    case neededWithout(String)
    /// It cannot stand beside that parameter.
    case excludedBy(String)
    /// It is more than that parameter.
    case moreThan(String)

    /// What stands behind the parameter's name.
    public var words: String {
        switch self {
        case .mustBe(let kind): "must be \(kind.words)"
        case .notAllowed: "has a value that is not allowed"
        case .tooLong(let bytes, let maximum):
            "has \(bytes) bytes; at most \(maximum) are allowed"
        case .entries(let count, let allowed) where allowed.lowerBound == 0:
            "has \(count) entries; at most \(allowed.upperBound) are allowed"
        case .entries(let count, let allowed):
            "has \(count) entries; \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
        case .indexes(let count): "must have the indexes 1 to \(count)"
        case .unknown: "is not known or too old"
        case .mustSay(let value): "must be '\(value)'"
        case .neededBeside(let other): "must be true for a change by '\(other)'"
        case .neededWithout(let other):
            "must be true without \(other): there is nothing else to start"
        case .excludedBy(let other): "cannot stand beside '\(other)'"
        case .moreThan(let other): "is more than \(other)"
        }
    }

    /// The kind that a Swift type is read from.
    init(expected type: any Any.Type) {
        self =
            switch type {
            case is String.Type: .mustBe(.string)
            case is Bool.Type: .mustBe(.boolean)
            case is any BinaryInteger.Type: .mustBe(.integer)
            case is any BinaryFloatingPoint.Type: .mustBe(.number)
            case is any Listed.Type: .mustBe(.array)
            default: .mustBe(.object)
            }
    }
}

/// Tells arrays of any element from other types.
private protocol Listed {}
extension Array: Listed {}

import MediaKernel
import Stage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields that a request's body may have. Otherwise a misspelt field would have no effect
/// without notice.
struct BodyFields: Sendable {
    /// How other fields are treated.
    enum Others: Sendable {
        case refused
        /// Other fields are kept and shown, unless they are so similar to a known one that they
        /// must be misspelt.
        case kept
        case ignored
    }

    indirect enum Content: Sendable {
        /// The reader checks it.
        case any
        case object(BodyFields)
        case array(BodyFields)
        /// Objects by names that the caller chooses.
        case named(BodyFields)
    }

    private let contents: [String: Content]
    private let others: Others

    /// - Parameters:
    ///   - passed: fields that 100ms' documents and SDKs send and the server ignores.
    init<Key: CodingKey & CaseIterable & Hashable>(
        _ keys: Key.Type, _ contents: [Key: Content] = [:], passed: [String] = [],
        others: Others = .refused
    ) {
        self.init(
            keys.allCases.map(\.stringValue),
            Dictionary(uniqueKeysWithValues: contents.map { ($0.key.stringValue, $0.value) }),
            passed: passed, others: others)
    }

    init(
        _ names: [String], _ contents: [String: Content] = [:], passed: [String] = [],
        others: Others = .refused
    ) {
        self.contents = Dictionary((names + passed).map { ($0, Content.any) }) { first, _ in first }
            .merging(contents) { $1 }
        self.others = others
    }

    var names: Set<String> { Set(contents.keys) }

    /// - Returns: the problem with a field of this name; nil if there is none.
    fileprivate func fault(of name: String, at path: String) -> String? {
        guard contents[name] == nil, others != .ignored else { return nil }
        let names = NearestNames(contents.keys.sorted())
        guard others == .refused || names.resembles(name) else { return nil }
        return UnknownName.words(for: name, at: path, among: names)
    }

    fileprivate func content(of name: String) -> Content { contents[name] ?? .any }
}

extension BodyFields {
    static let layout = BodyFields(
        Array(Layout.fieldNames.keys),
        Layout.fieldNames.filter { !$0.value.isEmpty }.mapValues { .object(BodyFields($0)) })
}

/// A body that declares its fields.
protocol RequestBody: Decodable {
    static var fields: BodyFields { get }
}

/// Checks only the names of a body's fields, as deep as they are known.
struct BodyFieldCheck {
    private static let faultsMaximum = 10

    private(set) var faults: [String] = []

    /// - Throws: `DecodingError` for a body that is no object.
    init(_ body: JSONElement, _ content: BodyFields.Content) throws {
        let decoder = body.decoder
        switch content {
        case .any: break
        case .array(let fields):
            var values = try decoder.unkeyedContainer()
            while !values.isAtEnd {
                look(
                    try values.nestedContainer(keyedBy: JSONKey.self), fields,
                    "[\(values.currentIndex - 1)].")
            }
        case .object(let fields):
            look(try decoder.container(keyedBy: JSONKey.self), fields, "")
        case .named(let fields):
            let values = try decoder.container(keyedBy: JSONKey.self)
            for key in values.allKeys { lookInto(values, key, .object(fields), "") }
        }
    }

    private mutating func look(
        _ values: KeyedDecodingContainer<JSONKey>, _ fields: BodyFields, _ path: String
    ) {
        for key in values.allKeys.sorted(by: { $0.stringValue < $1.stringValue })
        where faults.count < Self.faultsMaximum {
            if let fault = fields.fault(of: key.stringValue, at: path) {
                faults.append(fault)
            } else {
                lookInto(values, key, fields.content(of: key.stringValue), path)
            }
        }
    }

    /// The field's own reader refuses values of the wrong type.
    private mutating func lookInto(
        _ values: KeyedDecodingContainer<JSONKey>, _ key: JSONKey, _ content: BodyFields.Content,
        _ path: String
    ) {
        let name = "\(path)\(key.stringValue.prefix(UnknownName.charactersShown))"
        switch content {
        case .any: break
        case .object(let fields):
            if let inner = try? values.nestedContainer(keyedBy: JSONKey.self, forKey: key) {
                look(inner, fields, "\(name).")
            }
        case .named(let fields):
            guard let inner = try? values.nestedContainer(keyedBy: JSONKey.self, forKey: key) else {
                break
            }
            for key in inner.allKeys.sorted(by: { $0.stringValue < $1.stringValue })
            where faults.count < Self.faultsMaximum {
                lookInto(inner, key, .object(fields), "\(name).")
            }
        case .array(let fields):
            guard var list = try? values.nestedUnkeyedContainer(forKey: key) else { break }
            while !list.isAtEnd, faults.count < Self.faultsMaximum {
                let place = "\(name)[\(list.currentIndex)]."
                guard let inner = try? list.nestedContainer(keyedBy: JSONKey.self) else { break }
                look(inner, fields, place)
            }
        }
    }
}

/// The data that an app keeps with a call: text by key.
///
/// A request changes all its keys or none.
public struct CustomItems: Hashable, Sendable {
    public private(set) var values: [String: String]
    /// Increases by one with each change.
    public private(set) var version: Int

    public init() {
        values = [:]
        version = 0
    }

    /// Of a new call.
    public init(_ values: [String: String]) throws(CallError) {
        self.init()
        if !values.isEmpty { _ = try set(values) }
    }

    /// As they were stored.
    public init(stored values: [String: String], version: Int) {
        self.values = values
        self.version = version
    }

    /// Adds items, and replaces those with the same keys.
    ///
    /// - Returns: the changed keys, sorted; those whose value stays the same are not among them.
    public mutating func set(_ new: [String: String]) throws(CallError) -> [String] {
        for (key, value) in new.sorted(by: { $0.key < $1.key }) {
            try Self.check(key: key)
            guard value.utf8.count <= CallLimits.itemValueBytes else {
                throw .tooLong(
                    field: "custom item '\(key)'", count: value.utf8.count,
                    maximum: CallLimits.itemValueBytes)
            }
        }
        guard !new.isEmpty else { throw .invalidField("custom_items", reason: "is empty") }
        let merged = values.merging(new) { $1 }
        guard merged.count <= CallLimits.items else {
            throw .tooManyItems(maximum: CallLimits.items)
        }
        let changed = new.keys.filter { values[$0] != new[$0] }.sorted()
        guard !changed.isEmpty else { return [] }
        values = merged
        version += 1
        return changed
    }

    /// Removes items. Keys that there are not are ignored.
    ///
    /// - Parameter keys: nil for all.
    /// - Returns: the removed keys, sorted.
    public mutating func remove(_ keys: [String]?) throws(CallError) -> [String] {
        if let keys {
            guard !keys.isEmpty else { throw .invalidField("keys", reason: "is empty") }
            guard keys.count <= CallLimits.items else {
                throw .tooLong(field: "keys", count: keys.count, maximum: CallLimits.items)
            }
            for key in keys { try Self.check(key: key) }
        }
        let gone = Set(keys ?? Array(values.keys)).filter { values[$0] != nil }.sorted()
        guard !gone.isEmpty else { return [] }
        for key in gone { values[key] = nil }
        version += 1
        return gone
    }

    private static func check(key: String) throws(CallError) {
        guard !key.isEmpty else {
            throw .invalidField("a key of the custom items", reason: "is empty")
        }
        guard key.utf8.count <= CallLimits.itemKeyBytes else {
            throw .tooLong(
                field: "a key of the custom items", count: key.utf8.count,
                maximum: CallLimits.itemKeyBytes)
        }
    }
}

/// A change of a call's custom items, as all participants are told of it.
public struct ItemsChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case updated, deleted }

    public var kind: Kind
    /// Sorted.
    public var keys: [String]
    /// After the change.
    public var items: CustomItems
    /// The user that made it; nil for a server.
    public var by: String?

    public init(_ kind: Kind, keys: [String], items: CustomItems, by: String?) {
        self.kind = kind
        self.keys = keys
        self.items = items
        self.by = by
    }
}

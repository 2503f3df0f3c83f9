/// A page of records, newest first.
public struct CataloguePage<Record: Hashable & Sendable>: Hashable, Sendable {
    public var records: [Record]
    /// The `start` of the next page; nil if this page is the last.
    public var last: String?

    public init(records: [Record], last: String?) {
        self.records = records
        self.last = last
    }
}

extension CataloguePage {
    init(found: [Record], limit: Int, id: (Record) -> String) {
        let records = Array(found.prefix(limit))
        self.init(records: records, last: found.count > limit ? records.last.map(id) : nil)
    }
}

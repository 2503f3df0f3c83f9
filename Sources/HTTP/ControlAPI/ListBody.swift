/// A list as the control API shows it.
struct ListBody<Item: Encodable>: Encodable {
    var limit: Int
    var data: [Item]
    /// To give as `start` for the next page; empty when there is none.
    var last: String
}

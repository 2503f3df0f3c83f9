/// A list in the control API.
struct ListBody<Item: Encodable>: Encodable {
    var limit: Int
    var data: [Item]
    /// The `start` of the next page; empty on the last page.
    var last: String
}

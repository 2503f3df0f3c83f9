/// How many records a page of any list may have.
public enum PageLimit {
    public static let range = 10...100

    public static func clamped(_ limit: Int) -> Int {
        min(max(limit, range.lowerBound), range.upperBound)
    }
}

/// What the keeper of a browser tells its bot, a line each.
enum BrowserReport: Hashable, Sendable {
    /// The browser runs without its own sandbox, and why.
    case unconfined(String)
    /// A process of the browser was killed for the memory that all of them took, in MB.
    case overweight(megabytes: Int)
    /// The browser has exited.
    case ended(status: Int)

    var line: String {
        switch self {
        case .unconfined(let reason): "unconfined \(reason)"
        case .overweight(let megabytes): "overweight \(megabytes)"
        case .ended(let status): "ended \(status)"
        }
    }

    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch (parts[0], Int(parts[1])) {
        case ("unconfined", _): self = .unconfined(String(parts[1]))
        case ("overweight", let number?): self = .overweight(megabytes: number)
        case ("ended", let number?): self = .ended(status: number)
        default: return nil
        }
    }
}

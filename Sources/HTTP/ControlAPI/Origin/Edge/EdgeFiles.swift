import NIOCore
import Synchronization

/// The newest parts and segments of a layer, the oldest first.
struct EdgeFiles {
    private var files: [String: EdgeFile] = [:]
    private var order: [String] = []

    subscript(name: String) -> EdgeFile? { files[name] }

    var isEmpty: Bool { order.isEmpty }

    mutating func add(_ file: EdgeFile, named name: String) {
        // A dead bot's successor may use a name again.
        if files.updateValue(file, forKey: name) != nil { order.removeAll { $0 == name } }
        order.append(name)
    }

    /// - Returns: false if there is none.
    @discardableResult
    mutating func dropOldest() -> Bool {
        guard !order.isEmpty else { return false }
        return files.removeValue(forKey: order.removeFirst()) != nil
    }

    /// Keeps at most this many.
    mutating func trim(to count: Int) {
        while order.count > count { dropOldest() }
    }
}

/// The bytes of files and playlists in memory: of those that are kept, and of those that are not,
/// but which slow viewers have not taken yet.
final class EdgeMemory: Sendable {
    let maximum: Int
    private let used = Atomic(0)

    init(maximum: Int) { self.maximum = maximum }

    var byteCount: Int { used.load(ordering: .relaxed) }

    var isFull: Bool { byteCount > maximum }

    /// - Parameter change: bytes, negative for those given back.
    fileprivate func add(_ change: Int) { used.add(change, ordering: .relaxed) }
}

/// A share of the memory, until the last viewer has taken it.
final class MemoryHold: Sendable {
    private let byteCount: Int
    private let memory: EdgeMemory

    init(_ byteCount: Int, in memory: EdgeMemory) {
        self.byteCount = byteCount
        self.memory = memory
        memory.add(byteCount)
    }

    deinit { memory.add(-byteCount) }
}

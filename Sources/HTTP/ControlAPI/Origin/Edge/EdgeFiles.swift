import NIOCore
import Synchronization

/// The newest parts and segments of a layer, the oldest first.
struct EdgeFiles {
    private var files: [String: EdgeFile] = [:]
    private var order: [String] = []
    private(set) var byteCount = 0

    subscript(name: String) -> EdgeFile? { files[name] }

    var isEmpty: Bool { order.isEmpty }

    mutating func add(_ file: EdgeFile, named name: String) {
        if let old = files.updateValue(file, forKey: name) {
            // A dead bot's successor may use a name again.
            byteCount -= old.bytes.readableBytes
            order.removeAll { $0 == name }
        }
        order.append(name)
        byteCount += file.bytes.readableBytes
    }

    /// - Returns: its number of bytes.
    @discardableResult
    mutating func dropOldest() -> Int {
        guard !order.isEmpty, let file = files.removeValue(forKey: order.removeFirst()) else {
            return 0
        }
        byteCount -= file.bytes.readableBytes
        return file.bytes.readableBytes
    }

    /// Keeps at most this many.
    mutating func trim(to count: Int) {
        while order.count > count { dropOldest() }
    }
}

/// The bytes of files in memory.
final class EdgeMemory: Sendable {
    let maximum: Int
    private let used = Atomic(0)

    init(maximum: Int) { self.maximum = maximum }

    var byteCount: Int { used.load(ordering: .relaxed) }

    var isFull: Bool { byteCount > maximum }

    /// - Parameter change: bytes, negative for those given back.
    func add(_ change: Int) { used.add(change, ordering: .relaxed) }
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

/// The header extension of one packet: ordered elements, each an id (tied to a URI by SDP) and
/// a few bytes. RFC 8285.
///
/// ```
/// one-byte form, profile 0xBEDE:  |  ID   |  len  | len + 1 bytes ...
/// two-byte form, profile 0x100X:  |  ID (8 bits)  |  length (8 bits)  | length bytes ...
/// ```
///
/// The elements stay in wire form, sharing the datagram's storage, until they are changed: most
/// packets are asked for only one or two of them. An element that runs past the end is dropped with
/// everything after it; earlier elements are kept. The elements move to the two-byte form when one
/// has an id above 14, an empty value or a value over 16 bytes.
public struct HeaderExtensions: Sendable {
    public struct Element: Hashable, Sendable {
        public let id: UInt8
        public let bytes: ArraySlice<UInt8>
    }

    enum Form: Hashable, Sendable {
        case oneByte, twoByte
        /// A profile outside RFC 8285: carried unchanged, without elements.
        case opaque(profile: UInt16)

        var profile: UInt16 {
            switch self {
            case .oneByte: HeaderExtensions.oneByteProfile
            case .twoByte: HeaderExtensions.twoByteProfile
            case .opaque(let profile): profile
            }
        }

        /// Bytes that the transport-wide sequence number takes as an element.
        var numberBytes: Int {
            switch self {
            case .oneByte: 3
            case .twoByte: 4
            case .opaque: 0
            }
        }
    }

    /// The most bytes that `set` lets the extension grow to.
    public static let bytesMaximum = 2048
    static let oneByteProfile: UInt16 = 0xBEDE
    static let twoByteProfile: UInt16 = 0x1000

    private var form: Form = .oneByte
    private var block: ArraySlice<UInt8> = []

    public init() {}

    init(profile: UInt16, block: ArraySlice<UInt8>) {
        guard !block.isEmpty else { return }
        switch profile {
        case Self.oneByteProfile: form = .oneByte
        case let profile where profile & 0xFFF0 == Self.twoByteProfile: form = .twoByte
        default:
            form = .opaque(profile: profile)
            self.block = block
            return
        }
        self.block = block
        var iterator = makeIterator()
        while iterator.next() != nil {}
        self.block = block[block.startIndex..<iterator.position]
    }

    public var isEmpty: Bool { block.isEmpty }

    /// The value of the first element with this id.
    public subscript(id: UInt8) -> ArraySlice<UInt8>? {
        for element in self where element.id == id { return element.bytes }
        return nil
    }

    /// Adds an element, or replaces the first one with this id in its place.
    ///
    /// Returns false and changes nothing if the id is 0, the value has more than 255 bytes, or the
    /// extension would grow beyond `bytesMaximum`.
    @discardableResult
    public mutating func set(_ id: UInt8, _ bytes: some Collection<UInt8>) -> Bool {
        guard id > 0, bytes.count <= 255, block.count + bytes.count + 2 <= Self.bytesMaximum
        else { return false }
        if case .opaque = form { self = HeaderExtensions() }
        let needsTwoBytes = !Self.fitsOneByte(id: id, count: bytes.count)
        // The common case when sending: one more element at the end, nothing to rewrite.
        if self[id] == nil, form == .twoByte || !needsTwoBytes {
            Self.append(id: id, bytes, form: form, to: &block)
            return true
        }
        let target: Form = needsTwoBytes ? .twoByte : form
        var rebuilt: ArraySlice<UInt8> = []
        var isReplaced = false
        for element in self {
            if element.id == id, !isReplaced {
                Self.append(id: id, bytes, form: target, to: &rebuilt)
                isReplaced = true
            } else {
                Self.append(id: element.id, element.bytes, form: target, to: &rebuilt)
            }
        }
        if !isReplaced { Self.append(id: id, bytes, form: target, to: &rebuilt) }
        form = target
        block = rebuilt
        return true
    }

    /// Removes every element with this id.
    public mutating func remove(_ id: UInt8) {
        guard self[id] != nil else { return }
        self = rebuilt { $0 == id ? nil : $0 }
    }

    /// The same elements under other ids, those of the other side's SDP.
    ///
    /// - Parameter newID: returns nil for an element to leave out.
    public func remapped(_ newID: (_ id: UInt8) -> UInt8?) -> HeaderExtensions {
        rebuilt(newID)
    }

    private func rebuilt(_ newID: (UInt8) -> UInt8?) -> HeaderExtensions {
        var result = HeaderExtensions()
        guard !isEmpty else { return result }
        // Room for a few more elements, which a forwarder adds next.
        var rebuilt: [UInt8] = []
        rebuilt.reserveCapacity(block.count + 16)
        for element in self {
            guard let id = newID(element.id), id > 0 else { continue }
            if result.form == .oneByte, !Self.fitsOneByte(id: id, count: element.bytes.count) {
                // The elements written so far have the wrong form: start over.
                result.form = .twoByte
                rebuilt.removeAll(keepingCapacity: true)
                for element in self {
                    guard let id = newID(element.id), id > 0 else { continue }
                    Self.append(id: id, element.bytes, form: .twoByte, to: &rebuilt)
                }
                break
            }
            Self.append(id: id, element.bytes, form: result.form, to: &rebuilt)
        }
        result.block = rebuilt[...]
        return result
    }

    private static func fitsOneByte(id: UInt8, count: Int) -> Bool {
        (1...14).contains(id) && (1...16).contains(count)
    }

    private static func append(
        id: UInt8, _ bytes: some Collection<UInt8>, form: Form,
        to block: inout some RangeReplaceableCollection<UInt8>
    ) {
        if form == .oneByte {
            block.append(id << 4 | UInt8(bytes.count - 1))
        } else {
            block.append(id)
            block.append(UInt8(bytes.count))
        }
        block.append(contentsOf: bytes)
    }

    /// Bytes on the wire, including the extension's own four-byte header; 0 if there are no
    /// elements.
    ///
    /// - Parameter numbered: as in `write`.
    func serializedBytes(numbered: (id: UInt8, number: TransportSequence)?) -> Int {
        guard !isEmpty || numbered != nil else { return 0 }
        let extra = numbered == nil ? 0 : form.numberBytes
        return 4 + (block.count + extra + 3) / 4 * 4
    }

    /// - Parameter numbered: an additional element, written first; left out of an opaque extension.
    func write(to writer: inout HeaderWriter, numbered: (id: UInt8, number: TransportSequence)?) {
        let extra = numbered == nil ? 0 : form.numberBytes
        let words = (block.count + extra + 3) / 4
        writer.write(UInt32(form.profile) << 16 | UInt32(UInt16(words)))
        if let numbered, extra > 0 {
            if extra == 3 {
                writer.write(numbered.id << 4 | 1)
            } else {
                writer.write(numbered.id)
                writer.write(2 as UInt8)
            }
            writer.write(numbered.number.rawValue)
        }
        writer.write(block)
        writer.skip(words * 4 - block.count - extra)
    }
}

extension HeaderExtensions: Sequence {
    public func makeIterator() -> Iterator { Iterator(form: form, block: block) }

    public struct Iterator: IteratorProtocol {
        private let form: Form
        private let block: ArraySlice<UInt8>
        /// The end of the last whole element.
        private(set) var position: Int

        init(form: Form, block: ArraySlice<UInt8>) {
            self.form = form
            self.block = block
            position = block.startIndex
        }

        public mutating func next() -> Element? {
            var cursor = position
            while let element = form == .oneByte ? shortElement(&cursor) : longElement(&cursor) {
                // Id 0 is padding, not an element, although in the one-byte form it may claim a
                // length.
                guard element.id > 0 else { continue }
                position = cursor
                return element
            }
            return nil
        }

        private func shortElement(_ cursor: inout Int) -> Element? {
            while cursor < block.endIndex, block[cursor] == 0 { cursor += 1 }
            guard cursor < block.endIndex else { return nil }
            let id = block[cursor] >> 4
            let count = Int(block[cursor] & 0x0F) + 1
            // Id 15 ends the extension. RFC 8285 sect. 4.2.
            guard id != 15 else { return nil }
            return take(count, id: id, after: 1, &cursor)
        }

        private func longElement(_ cursor: inout Int) -> Element? {
            guard form == .twoByte else { return nil }
            while cursor < block.endIndex, block[cursor] == 0 { cursor += 1 }
            guard cursor + 1 < block.endIndex else { return nil }
            return take(Int(block[cursor + 1]), id: block[cursor], after: 2, &cursor)
        }

        private func take(
            _ count: Int, id: UInt8, after header: Int, _ cursor: inout Int
        ) -> Element? {
            guard block.endIndex - cursor - header >= count else { return nil }
            cursor += header + count
            return Element(id: id, bytes: block[(cursor - count)..<cursor])
        }
    }
}

extension HeaderExtensions: Hashable {
    /// Equal elements in equal order; the form and padding on the wire do not matter.
    public static func == (a: Self, b: Self) -> Bool {
        guard case .opaque = a.form else {
            if case .opaque = b.form { return false }
            return a.elementsEqual(b)
        }
        return a.form == b.form && a.block == b.block
    }

    public func hash(into hasher: inout Hasher) {
        for element in self { hasher.combine(element) }
    }
}

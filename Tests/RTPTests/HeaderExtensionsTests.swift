import RTP
import Testing

@Suite struct HeaderExtensionsTests {
    /// A packet with this extension block and this profile.
    private func packet(profile: [UInt8], _ block: [UInt8]) throws -> RTPPacket {
        let words = UInt8(block.count / 4)
        return try RTPPacket(
            parsing: [0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + profile + [0, words] + block)
    }

    typealias Value = (UInt8, [UInt8])

    private func pairs(_ extensions: HeaderExtensions) -> [[UInt8]] {
        extensions.map { [$0.id] + Array($0.bytes) }
    }

    @Test func oneByteElementsKeepTheirOrderAndSkipPadding() throws {
        let packet = try packet(
            profile: [0xBE, 0xDE], [0x20, 0x11, 0x00, 0x11, 0xAA, 0xBB, 0x00, 0x00])
        #expect(pairs(packet.extensions) == [[2, 0x11], [1, 0xAA, 0xBB]])
    }

    @Test func idFifteenEndsTheOneByteForm() throws {
        let packet = try packet(profile: [0xBE, 0xDE], [0x20, 0x11, 0xF0, 0x00, 0x10, 0x01, 0, 0])
        #expect(pairs(packet.extensions) == [[2, 0x11]])
    }

    @Test func idZeroWithALengthIsNoElement() throws {
        let packet = try packet(profile: [0xBE, 0xDE], [0x01, 0x50, 0x51, 0x20, 0x11, 0, 0, 0])
        #expect(pairs(packet.extensions) == [[2, 0x11]])
    }

    @Test func twoByteElementsMayBeEmptyAndHaveHighIds() throws {
        let packet = try packet(
            profile: [0x10, 0x05], [0x20, 0x00, 0x00, 0xC8, 0x02, 0x01, 0x02, 0x00])
        #expect(pairs(packet.extensions) == [[0x20], [200, 1, 2]])
    }

    @Test func anElementThatRunsPastTheEndIsCutOff() throws {
        let short = try packet(profile: [0xBE, 0xDE], [0x20, 0x11, 0x35, 0x01])
        #expect(pairs(short.extensions) == [[2, 0x11]])
        let long = try packet(profile: [0x10, 0x00], [0x20, 0x01, 0x11, 0x22])
        #expect(pairs(long.extensions) == [[0x20, 0x11]])
        #expect(short.serialized().count == 12 + 4 + 4)
    }

    @Test func aForeignProfileIsCarriedUnread() throws {
        let packet = try packet(profile: [0xAB, 0xAC], [1, 2, 3, 4])
        #expect(packet.extensions[1] == nil)
        #expect(try RTPPacket(parsing: packet.serialized()) == packet)
        #expect(packet.serialized().suffix(8) == [0xAB, 0xAC, 0, 1, 1, 2, 3, 4])
        #expect(packet.extensions.remapped { [1: 2][$0] }.isEmpty)
    }

    @Test func settingReplacesInPlace() {
        var extensions = HeaderExtensions()
        extensions.set(1, [1])
        extensions.set(2, [2])
        extensions.set(1, [9, 9])
        #expect(pairs(extensions) == [[1, 9, 9], [2, 2]])
    }

    @Test(arguments: [(15, [1]), (1, []), (1, [UInt8](repeating: 7, count: 17))] as [Value])
    func whatTheOneByteFormCannotCarryGoesInTheTwoByteForm(id: UInt8, value: [UInt8]) throws {
        var extensions = HeaderExtensions()
        extensions.set(3, [3])
        extensions.set(id, value)
        let packet = RTPPacket(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(0), timestamp: 0,
            ssrc: SSRC(0), extensions: extensions, payload: [1])
        let bytes = packet.serialized()
        #expect(Array(bytes[12..<14]) == [0x10, 0x00])
        let parsed = try RTPPacket(parsing: bytes)
        #expect(pairs(parsed.extensions) == [[3, 3], [id] + value])
    }

    @Test func impossibleElementsAreRefused() {
        var extensions = HeaderExtensions()
        let takesIdZero = extensions.set(0, [1])
        let takesLongValue = extensions.set(1, [UInt8](repeating: 0, count: 256))
        #expect(!takesIdZero)
        #expect(!takesLongValue)
        var taken = 0
        for id in UInt8(1)...20 where extensions.set(id, [UInt8](repeating: 0, count: 255)) {
            taken += 1
        }
        #expect(taken == HeaderExtensions.bytesMaximum / 257)
    }

    @Test func removingLeavesTheOthers() {
        var extensions = HeaderExtensions()
        extensions.set(1, [1])
        extensions.set(2, [2])
        extensions.remove(1)
        extensions.remove(7)
        #expect(pairs(extensions) == [[2, 2]])
        extensions.remove(2)
        #expect(extensions.isEmpty)
    }

    @Test func remappingKeepsOnlyMappedIds() {
        var extensions = HeaderExtensions()
        extensions.set(1, [1])
        extensions.set(2, [2])
        extensions.set(3, [3])
        #expect(pairs(extensions.remapped { [1: 4, 3: 1][$0] }) == [[4, 1], [1, 3]])
        #expect(pairs(extensions.remapped { [2: 77][$0] }) == [[77, 2]])
        #expect(extensions.remapped { _ in nil }.isEmpty)
    }

    @Test func audioLevelIsOneByte() {
        #expect(AudioLevel(extensionBytes: [0x9E]) == AudioLevel(voice: true, level: 30))
        #expect(AudioLevel(voice: true, level: 30).extensionBytes == [0x9E])
        #expect(AudioLevel(voice: false, level: 200).extensionBytes == [0x7F])
        #expect(AudioLevel(extensionBytes: []) == nil)
    }

    @Test func orientationCountsQuarterTurnsClockwise() {
        let turned = VideoOrientation(rotation: .clockwise270, isFlipped: true)
        #expect(turned.extensionBytes == [0x07])
        #expect(VideoOrientation(extensionBytes: [0x07]) == turned)
        #expect(VideoOrientation(extensionBytes: [0x01])?.rotation == .clockwise90)
        #expect(VideoOrientation(extensionBytes: [0x0A])?.isBackCamera == true)
        #expect(VideoOrientation(extensionBytes: []) == nil)
    }

    @Test func transportSequenceIsTwoBytes() {
        #expect(TransportSequence(0x0102).extensionBytes == [1, 2])
        #expect(TransportSequence(extensionBytes: [1, 2]) == TransportSequence(0x0102))
        #expect(TransportSequence(extensionBytes: [1]) == nil)
    }
}

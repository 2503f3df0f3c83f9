import MediaKernel
import Testing

@Suite struct ByteReaderTests {
    @Test func readsBigEndianValuesInOrder() throws {
        var reader = ByteReader([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try reader.readUInt8() == 1)
        #expect(try reader.readUInt16() == 0x0203)
        #expect(try reader.readUInt24() == 0x040506)
        #expect(try reader.readUInt32() == 0x0708_090A)
        #expect(reader.isAtEnd)
    }

    @Test func saysHowMuchWasMissing() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: TruncatedInput(needed: 4, available: 3)) { try reader.readUInt32() }
        #expect(reader.offset == 0)
    }

    @Test func writerAndReaderAgree() throws {
        var writer = ByteWriter()
        writer.write(UInt8(7))
        writer.writeUInt24(0x123456)
        writer.write(UInt64(0x0102_0304_0506_0708))
        writer.pad(toMultipleOf: 4)
        writer.patch(0xBEEF, at: 0)
        var reader = ByteReader(writer.bytes)
        #expect(try reader.readUInt16() == 0xBEEF)
        #expect(try reader.readUInt16() == 0x3456)
        #expect(try reader.readUInt64() == 0x0102_0304_0506_0708)
    }
}

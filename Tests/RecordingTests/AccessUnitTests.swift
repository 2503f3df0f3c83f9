import Testing

@testable import Recording

@Suite struct AccessUnitTests {
    /// H.264 annex B: a start code of four bytes begins with a zero that belongs to no unit, and
    /// any number of zeros may follow a unit.
    @Test func zerosBetweenUnitsAreOfNone() {
        let slices: [UInt8] = [0, 0, 0, 1, 0x65, 1, 0, 2, 0, 0, 0, 1, 0x41, 3, 0, 0, 0, 0]
        var output: [UInt8] = []
        let unit = AccessUnit(annexB: slices, from: 0, appendingTo: &output)
        #expect(output == [0, 0, 0, 4, 0x65, 1, 0, 2, 0, 0, 0, 2, 0x41, 3])
        #expect(unit.isKeyframe && unit.byteCount == output.count)
    }
}

@Suite struct ParameterSetsTests {
    /// ISO/IEC 14496-15 sect. 5.3.3.1.2: the sample format is stated only for these profiles.
    @Test(arguments: [66, 77, 100, 110] as [UInt8])
    func highProfilesTellTheirFormat(profile: UInt8) throws {
        let sequence: [UInt8] = [0x67, profile, 0, 31, 9]
        let sets = try #require(ParameterSets(sequence: sequence, picture: [0x68, 7]))
        let plain = [1, profile, 0, 31, 0xFF, 0xE1, 0, 5] + sequence + [1, 0, 2, 0x68, 7]
        #expect(
            sets.decoderConfiguration == plain + (profile < 100 ? [] : [0xFD, 0xF8, 0xF8, 0]))
    }
}

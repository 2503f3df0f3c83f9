import MediaKernel

/// A record as one line of a log:
///
/// ```
/// 12 run=1760000000000000000 rate=30 origin=90000 first=720 frames=60
///    bytes=512340 crc=9a3f0c11 sps=6764001f… pps=68eb… video=k51234,812@3,640@1,…
///    sound=2/3/2@-1264:301,299,… *1a2b3c4d
/// ```
/// (one line). A picture is its size, with `k` before it for a key frame, and with its frame after
/// it unless that follows the previous picture's. The last field is the CRC-32 of the text before
/// the final space. Unknown fields are ignored.
extension SegmentRecord {
    /// The longest line in bytes: 20 s at 60 frames a second are below 16 KiB.
    static let lineBytesMaximum = 1 << 18

    /// With its line break.
    public var line: String {
        var text = "\(number) run=\(run) rate=\(frameRate) origin=\(origin) first=\(firstFrame)"
        text += " frames=\(frameCount)"
        if isLeftOut { text += " left=1" }
        text += " bytes=\(byteCount) crc=\(Hexadecimal.text(checksum))"
        if let header { text += " init=\(Hexadecimal.text(header))" }
        if let parameterSets {
            text += " sps=\(Hexadecimal.text(parameterSets.sequence))"
            text += " pps=\(Hexadecimal.text(parameterSets.picture))"
            text += " video=\(Self.text(of: pictures))"
        }
        if let sound {
            let format = sound.format
            text += " sound=\(format.objectType)/\(format.rateIndex)/\(format.channels)"
            text += "@\(sound.firstSample):"
            text += sound.blockSizes.map(String.init).joined(separator: ",")
        }
        return ChecksummedLine.closed(text)
    }

    private static func text(of pictures: [PictureSample]) -> String {
        var next = 0
        return pictures.map { picture in
            defer { next = picture.frame + 1 }
            let place = picture.frame == next ? "" : "@\(picture.frame)"
            return "\(picture.isKeyframe ? "k" : "")\(picture.byteCount)\(place)"
        }.joined(separator: ",")
    }

    /// Nil for a line that is torn, changed, or not a record.
    ///
    /// - Parameter line: without its line break.
    public init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.lineBytesMaximum,
            let text = ChecksummedLine.text(of: line)
        else { return nil }
        let parts = text.split(separator: " ")
        guard let number = parts.first.flatMap({ Int($0) }),
            (0...Self.numberMaximum).contains(number)
        else { return nil }
        var fields: [Substring: Substring] = [:]
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            fields[Substring(part[..<equals])] = Substring(part[part.index(after: equals)...])
        }
        guard let run = Self.integer(fields["run"]), let rate = Self.integer(fields["rate"]),
            let origin = Self.integer(fields["origin"]), (0..<1 << 33).contains(origin),
            let first = Self.integer(fields["first"]), let count = Self.integer(fields["frames"]),
            let size = Self.integer(fields["bytes"]), size >= 0,
            let checksum = fields["crc"].flatMap({ UInt32($0, radix: 16) }),
            Self.frameRates.contains(Int(clamping: rate)),
            (0...Self.secondsMaximum * rate).contains(first),
            (1...Self.framesMaximum).contains(count)
        else { return nil }
        self.init(
            number: number, run: run, frameRate: Int(rate), origin: origin, firstFrame: first,
            frameCount: Int(count), isLeftOut: fields["left"] == "1", byteCount: Int(size),
            checksum: checksum, parameterSets: nil, pictures: [], sound: nil)
        if let written = fields["init"] {
            guard let header = UInt32(written, radix: 16) else { return nil }
            self.header = header
        }
        if let video = fields["video"] {
            guard let sequence = fields["sps"].flatMap({ Hexadecimal.bytes($0) }),
                let picture = fields["pps"].flatMap({ Hexadecimal.bytes($0) }),
                let sets = ParameterSets(sequence: sequence, picture: picture),
                let pictures = Self.pictures(video)
            else { return nil }
            parameterSets = sets
            self.pictures = pictures
        }
        if let text = fields["sound"] {
            guard let sound = SoundRecord(text: text) else { return nil }
            self.sound = sound
        }
    }

    private static func integer(_ text: Substring?) -> Int64? { text.flatMap { Int64($0) } }

    private static func pictures(_ text: Substring) -> [PictureSample]? {
        var pictures: [PictureSample] = []
        var next = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isKeyframe = part.first == "k"
            let halves = part.dropFirst(isKeyframe ? 1 : 0).split(
                separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard let size = UInt32(halves[0]),
                (1...UInt32(PictureSample.bytesMaximum)).contains(size),
                let frame = halves.count == 2 ? Int(halves[1]) : next,
                (0..<Int(framesMaximum)).contains(frame), pictures.count < Int(framesMaximum)
            else { return nil }
            pictures.append(PictureSample(byteCount: size, frame: frame, isKeyframe: isKeyframe))
            next = frame + 1
        }
        return pictures
    }
}

extension SegmentRecord.SoundRecord {
    /// `<object type>/<rate index>/<channels>@<first sample>:<size>,<size>,…`
    fileprivate init?(text: Substring) {
        guard let at = text.firstIndex(of: "@"), let colon = text[at...].firstIndex(of: ":"),
            let first = Int64(text[text.index(after: at)..<colon])
        else { return nil }
        let numbers = text[..<at].split(separator: "/").compactMap { UInt8($0) }
        guard numbers.count == 3,
            let format = SoundFormat(
                objectType: numbers[0], rateIndex: numbers[1], channels: numbers[2])
        else { return nil }
        let limit = SegmentRecord.secondsMaximum * Int64(format.sampleRate)
        guard (-limit...limit).contains(first) else { return nil }
        var sizes: [UInt32] = []
        for part in text[text.index(after: colon)...].split(separator: ",") {
            // frame_length has 13 bits.
            guard let size = UInt32(part), (1..<1 << 13).contains(size),
                sizes.count < SegmentRecord.blocksMaximum
            else { return nil }
            sizes.append(size)
        }
        guard !sizes.isEmpty else { return nil }
        self.init(format: format, firstSample: first, blockSizes: sizes)
    }
}

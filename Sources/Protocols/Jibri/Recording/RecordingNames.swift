public import MediaKernel

/// The names of a recording's directory and file, which operators' scripts know.
public enum RecordingNames {
    /// Of the file, in UTF-16 units as in Jibri, and in bytes as the disk takes them.
    static let fileMaximum = 125
    static let fileBytesMaximum = 255
    public static let metadata = "metadata.json"

    /// Below the directory of recordings. Never empty, and never leads elsewhere.
    ///
    /// - Parameter part: of the session: one that is recorded again has a directory of its own.
    public static func directory(session: String, part: Int = 1) -> String {
        let letters = session.unicodeScalars.map { scalar -> Character in
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || scalar == "-" || scalar == "_")
            return isPlain ? Character(scalar) : "_"
        }
        let suffix = part == 1 ? "" : "_\(part)"
        let name = letters.isEmpty ? "_" : String(letters)
        return name.prefix(fileBytesMaximum - suffix.utf8.count) + suffix
    }

    /// - Parameter time: local, as in Jibri.
    public static func file(
        of meeting: MeetingAddress, at time: CivilTime, isSoundAlone: Bool = false
    ) -> String {
        let clock = time.time.map { $0 == ":" ? "-" : $0 }
        let suffix = "_\(time.date)-\(String(clock)).\(isSoundAlone ? "m4a" : "mp4")"
        var (units, bytes) = (
            fileMaximum - suffix.utf16.count, fileBytesMaximum - suffix.utf8.count
        )
        let name = meeting.name.prefix { character in
            units -= character.utf16.count
            bytes -= character.utf8.count
            return units >= 0 && bytes >= 0 && character != "/" && character != "\0"
        }
        return name + suffix
    }
}

import MediaKernel

/// All limits of callers' input.
public enum Limits {
    /// A request's body, in bytes. Start requests are below 4 KiB.
    public static let bodyBytes = 64 * 1024
    /// A session description of WHIP, in bytes: it describes one peer's media.
    static let descriptionBytes = 64 * 1024
    /// A trickle-ICE fragment of WHIP, in bytes; one with a hundred candidates has some 10,000.
    static let fragmentBytes = 32 * 1024
    /// A conference request of Jitsi's clients, in bytes, and those of one address, per second in
    /// the long run, and in a burst: a whole office may be behind one.
    static let conferenceRequestBytes = 16 * 1024
    static let conferenceRequestsPerSecond = 10
    static let conferenceRequestsBurst = 100
    /// All header fields of a request together, and one of them, in bytes. Tokens travel in one.
    public static let headerListBytes = 32 * 1024
    public static let headerFieldBytes = 16 * 1024
    public static let headerFieldCount = 100
    /// A WebSocket message, its fragments added up, in bytes: the longest frame of a peer that has
    /// joined its room.
    public static let messageBytes = 1024 * 1024
    public static let messageFragments = 64

    /// An asset's or an event's id consists of its stream's id and a suffix.
    static let recordIDBytes = 128

    /// Of a room's name: `[A-Za-z0-9.:_-]`.
    public static let roomNameCharacters = 128
    /// Of a room's description.
    public static let roomDescriptionBytes = 1024
    /// Of a room's webhook, each header by itself.
    static let webhookURLBytes = 2048
    static let webhookHeaders = 20
    static let webhookHeaderBytes = 2048
    public static let templateNameBytes = 128
    /// A template, which may hold a hundred roles, in bytes.
    public static let templateBytes = 256 * 1024
    /// A request that may be repeated with a key, in bytes.
    static func repeatableBytes(of path: String) -> Int {
        path == PictureRoutes.managedPath ? PictureFormat.bytesMaximum : templateBytes
    }
    /// 100ms' regions for rooms; here all rooms are on this server.
    static let regions = ["auto", "eu", "in", "us"]
    /// The sizes of rooms, as in 100ms.
    public static let roomSizes = 0...2500
    public static let largeRoomSizes = 0...20_000
    /// The length of a session, as in 100ms.
    public static let sessionSeconds = 120...43_200
    /// The unknown room codes, or wrong secrets, that one address may try, per second in the long run,
    /// and in a burst. At that rate a hundred addresses take some years to find one of a thousand codes.
    public static let guessesPerSecond = 10
    public static let guessesBurst = 100
    public static let peerIDCharacters = 128
    public static let userIDCharacters = 128
    public static let meetingURLBytes = 2048
    public static let metadataBytes = 4096
    public static let destinationBytes = 128
    /// The most roles in `audio`, and bytes of a role's name.
    public static let audioRoles = 64
    public static let roleBytes = 128
    /// Of a payload of timed metadata, as in 100ms, and of its duration.
    public static let timedMetadataCharacters = 100
    public static let timedMetadataSeconds = 3600
    /// The timed metadata of a stream, per second in the long run, and in a burst.
    public static let timedMetadataPerSecond = 5
    public static let timedMetadataBurst = 20
    /// Captions of one request, and of a stream: per second in the long run, and in a burst.
    public static let captionsPerRequest = 100
    public static let captionsPerSecond = 10
    public static let captionsBurst = 200
    /// Of a caption's text, and of its speaker's name.
    public static let captionCharacters = 500
    public static let speakerCharacters = 128
    /// How long a caption may be shown, how long ago it may have been said, and how far ahead it
    /// may be given, in milliseconds.
    public static let captionMilliseconds: Int64 = 60_000
    public static let captionAgeMilliseconds: Int64 = 86_400_000
    public static let captionAheadMilliseconds: Int64 = 3_600_000
    /// The pictures that a room's peers may upload, per second in the long run, and in a burst.
    static let picturesPerSecond = 1
    static let picturesBurst = 20
    /// Variants of one room that one request may start.
    public static let variantsPerRequest = 5

    public static func isRoomName(_ text: some StringProtocol) -> Bool {
        (1...roomNameCharacters).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
            }
    }

    /// Stream and session ids have the same form as room ids.
    public static func isIdentifier(_ text: some StringProtocol) -> Bool { RoomID.isValid(text) }

    /// Ids of all records of the catalogue have this form.
    static func isRecordID(_ text: some StringProtocol) -> Bool {
        (1...recordIDBytes).contains(text.utf8.count) && text.utf8.allSatisfy(\.isWord)
    }

    /// Clients make peer ids, usually UUIDs.
    public static func isPeerID(_ text: some StringProtocol) -> Bool {
        (1...peerIDCharacters).contains(text.utf8.count) && text.utf8.allSatisfy(\.isWord)
    }
}

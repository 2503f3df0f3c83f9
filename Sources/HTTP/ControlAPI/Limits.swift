import MediaKernel

/// The bounds of what a caller may send, in one place.
public enum Limits {
    /// A request's body, in bytes. Start requests are below 4 KiB.
    public static let bodyBytes = 64 * 1024
    /// A session description of WHIP, in bytes: it holds what one peer publishes.
    static let descriptionBytes = 64 * 1024
    /// A fragment of one with candidates, in bytes; a hundred of them have some 10,000.
    static let fragmentBytes = 32 * 1024
    /// All header fields of a request together, and one of them, in bytes. Tokens travel in one.
    public static let headerListBytes = 32 * 1024
    public static let headerFieldBytes = 16 * 1024
    public static let headerFieldCount = 100
    /// A WebSocket message, its fragments added up, in bytes: the longest frame of a peer that has
    /// joined its room.
    public static let messageBytes = 1024 * 1024
    public static let messageFragments = 64

    /// An asset's or an event's id is its stream's and what it is of it.
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
    /// Where 100ms' rooms may be; they are where this server is.
    static let regions = ["auto", "eu", "in", "us"]
    /// Peers that a room may be made for, as 100ms has it.
    public static let roomSizes = 0...2500
    public static let largeRoomSizes = 0...20_000
    /// How long a session may last, as 100ms has it.
    public static let sessionSeconds = 120...43_200
    /// Unknown room codes that one address may try: in a second for long, and at once. At that
    /// rate a hundred addresses take some years to come upon one of a thousand codes.
    public static let unknownRoomCodesPerSecond = 10
    public static let unknownRoomCodesBurst = 100
    public static let peerIDCharacters = 128
    public static let userIDCharacters = 128
    public static let meetingURLBytes = 2048
    public static let metadataBytes = 4096
    public static let destinationBytes = 128
    /// Roles that `audio` may name, and bytes of one's name.
    public static let audioRoles = 64
    public static let roleBytes = 128
    /// Of a payload of timed metadata, as 100ms has it, and how long one may go on.
    public static let timedMetadataCharacters = 100
    public static let timedMetadataSeconds = 3600
    /// Timed metadata that a stream takes in a second for long, and at once.
    public static let timedMetadataPerSecond = 5
    public static let timedMetadataBurst = 20
    /// Variants of one room that one request may start.
    public static let variantsPerRequest = 5

    public static func isRoomName(_ text: some StringProtocol) -> Bool {
        (1...roomNameCharacters).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
            }
    }

    /// Stream and session ids are like those of rooms.
    public static func isIdentifier(_ text: some StringProtocol) -> Bool { RoomID.isValid(text) }

    /// Ids of whatever the catalogue lists keep it too.
    static func isRecordID(_ text: some StringProtocol) -> Bool {
        (1...recordIDBytes).contains(text.utf8.count) && text.utf8.allSatisfy(\.isWord)
    }

    /// Peer ids are made by clients, UUIDs as a rule.
    public static func isPeerID(_ text: some StringProtocol) -> Bool {
        (1...peerIDCharacters).contains(text.utf8.count) && text.utf8.allSatisfy(\.isWord)
    }
}

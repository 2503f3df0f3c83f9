/// OpenVidu's way into the rooms: who may join, and what its application servers have prepared.
struct OpenViduRooms: Sendable {
    let directory: RoomDirectory
    let door: OpenViduDoor

    /// - Parameter secret: of OpenVidu's application servers; nil for none.
    init(_ directory: RoomDirectory, secret: String?) {
        self.directory = directory
        door = OpenViduDoor(secret: secret)
    }
}

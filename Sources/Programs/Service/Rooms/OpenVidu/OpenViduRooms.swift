/// OpenVidu's way into the rooms: who may join, and what its application servers have prepared.
struct OpenViduRooms: Sendable {
    let directory: RoomDirectory
    let door: OpenViduDoor
    let recordings: OpenViduRecordings
    let settings: OpenViduSettings
}

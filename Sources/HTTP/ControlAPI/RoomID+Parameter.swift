import MediaKernel

extension RoomID {
    /// A room's id as a part of a path.
    init(parameter text: (some StringProtocol)?) throws(APIError) {
        guard let text, RoomID.isValid(text) else {
            throw .badRequest("room_id is not valid", "1 to 64 of A-Z, a-z, 0-9, - and _")
        }
        self.init(String(text))
    }
}

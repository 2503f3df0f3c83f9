internal import Rooms

/// The outcome of a client's request: a result to send, or an answer that has been sent already.
enum Reply {
    case result(any Encodable & Sendable)
    /// A result that is already JSON.
    case rendered(String)
    case sent

    static var empty: Reply { .result(EmptyResult()) }
}

/// Runs `body` and converts a `RoomError` into the protocol's error.
func ruled<Value>(_ body: () throws(RoomError) -> Value) throws(SignallingError) -> Value {
    do {
        return try body()
    } catch {
        throw .room(error)
    }
}

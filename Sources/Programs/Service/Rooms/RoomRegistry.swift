import Catalogue
import Clocks
import ControlAPI
import Logging
import MediaKernel

/// What is known of rooms where peers come in. The catalogue is the truth, and is asked each time:
/// so whatever writes there, it holds at once.
actor RoomRegistry {
    private let catalogue: Catalogue
    /// Whether a room comes to be when somebody joins it.
    private let opensOnJoin: Bool
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    /// Rooms that were locked and of which the catalogue does not say so yet.
    private var unwritten: Set<RoomID> = []

    init(
        catalogue: Catalogue, opensOnJoin: Bool, logger: Logger,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.catalogue = catalogue
        self.opensOnJoin = opensOnJoin
        self.logger = logger
        self.clock = clock
    }

    /// Checks that who is not in a room may come in.
    func checkOpen(_ id: RoomID) async throws(APIError) {
        let room: CatalogueRoom?
        do throws(CatalogueError) {
            room = try await catalogue.room(id)
            // It would come to be, and be written down nowhere.
            if room == nil { try catalogue.checkPresence() }
        } catch {
            throw .unavailable("rooms cannot be looked up", error.description)
        }
        guard room != nil || opensOnJoin else { throw .unknownRoom(id) }
        guard room?.isEnabled != false, !unwritten.contains(id) else {
            throw .roomDisabled(id)
        }
    }

    /// A room that somebody made or joined. Where the catalogue does not answer it is taken for one.
    func known(_ id: RoomID) async -> CatalogueRoom? {
        do throws(CatalogueError) {
            return try await catalogue.room(id)
        } catch {
            return CatalogueRoom(id: id, name: id.rawValue, createdAt: clock())
        }
    }

    /// What a room that somebody comes into is like. One that nobody made comes to be, unless that
    /// is not wanted.
    ///
    /// - Returns: when the catalogue does not answer, all that is known: media come first.
    func opened(_ id: RoomID) async -> CatalogueRoom {
        let new = CatalogueRoom(id: id, name: id.rawValue, createdAt: clock())
        var room = new
        do throws(CatalogueError) {
            room = try await opensOnJoin ? register(new) : catalogue.room(id) ?? new
        } catch {
            logger.error(
                "room cannot be written down", metadata: ["room": "\(id)", "error": "\(error)"])
        }
        if unwritten.contains(id) { room.isEnabled = false }
        return room
    }

    /// A peer has locked a room. Holds until the control API enables it, whatever becomes of this
    /// process.
    func locked(_ id: RoomID) async {
        unwritten.insert(id)
        await writeDown()
        if unwritten.contains(id) {
            logger.error("lock is not written down yet", metadata: ["room": "\(id)"])
        }
    }

    /// The control API has changed a room.
    ///
    /// - Parameter saysEnabled: whether it said that the room is enabled, or disabled, and so has the
    ///   last word on that. Other changes do not know of a lock that is not written down.
    /// - Returns: what the room is like by now; as given where the catalogue does not answer.
    func changed(_ room: CatalogueRoom, saysEnabled: Bool) async -> CatalogueRoom {
        if saysEnabled { unwritten.remove(room.id) }
        var room = (try? await catalogue.room(room.id)) ?? room
        if unwritten.contains(room.id) { room.isEnabled = false }
        return room
    }

    /// Tries again what the disk did not take.
    func writeDown() async {
        for id in unwritten {
            let room = CatalogueRoom(id: id, name: id.rawValue, createdAt: clock())
            do throws(CatalogueError) {
                // Its first join may have met the same full disk.
                _ = try await register(room)
                // The control API may have enabled it meanwhile.
                guard unwritten.contains(id) else { continue }
                _ = try await catalogue.updateRoom(id, at: clock()) { room in
                    room.isEnabled = false
                    return true
                }
            } catch {
                return
            }
            unwritten.remove(id)
        }
    }

    private func register(_ room: CatalogueRoom) async throws(CatalogueError) -> CatalogueRoom {
        // A point is in no room's id, so no other room that was joined first has this name.
        try await catalogue.registerRoom(
            room, otherName: "\(room.id).\(UInt64.random(in: .min ... .max))")
    }
}

import Catalogue
import Clocks
import ControlAPI
import GroupCalls
import Logging
import MediaKernel

/// The facts about rooms that joining depends on. The catalogue is the source of truth and is read
/// each time, so every change of it takes effect at once.
actor RoomRegistry {
    private let catalogue: Catalogue
    /// Whether joining an unknown room creates it.
    private let opensOnJoin: Bool
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    /// Locked rooms whose lock is not saved in the catalogue yet.
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

    /// Checks that a peer from outside may join the room.
    func checkOpen(_ id: RoomID) async throws(APIError) {
        let room: CatalogueRoom?
        let isDeleted: Bool
        do throws(CatalogueError) {
            room = try await catalogue.room(id)
            isDeleted = try await self.isDeleted(id)
            // Otherwise the room would be created without a record of it.
            if room == nil { try catalogue.checkPresence() }
        } catch {
            throw .unavailable("rooms cannot be looked up", error.description)
        }
        guard room != nil || opensOnJoin else { throw .unknownRoom(id) }
        guard !isDeleted else { throw .roomDeleted(id) }
        guard room?.isEnabled != false, !unwritten.contains(id) else {
            throw .roomDisabled(id)
        }
    }

    /// Whether the room was a group call that is over for good.
    private func isDeleted(_ id: RoomID) async throws(CatalogueError) -> Bool {
        try await CallCatalogue(catalogue).call(id)?.state == .deleted
    }

    /// A room that was created or joined before, and was not deleted. Assumed to exist if the catalogue does not answer.
    func known(_ id: RoomID) async -> CatalogueRoom? {
        do throws(CatalogueError) {
            return try await isDeleted(id) ? nil : catalogue.room(id)
        } catch {
            return CatalogueRoom(id: id, name: id.rawValue, createdAt: clock())
        }
    }

    /// The record of a room that a peer joins. An unknown room is created, unless the settings
    /// forbid it.
    ///
    /// - Returns: the known facts if the catalogue does not answer: media come first.
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

    /// Locks a room on behalf of a peer. The lock holds until the control API enables the room,
    /// even across a restart.
    func locked(_ id: RoomID) async {
        unwritten.insert(id)
        await writeDown()
        if unwritten.contains(id) {
            logger.error("lock is not written down yet", metadata: ["room": "\(id)"])
        }
    }

    /// Takes a change of a room by the control API.
    ///
    /// - Parameter saysEnabled: whether the change set the room's enabled state, which then wins.
    ///   Other changes do not know of an unsaved lock.
    /// - Returns: the present record; the given one if the catalogue does not answer.
    func changed(_ room: CatalogueRoom, saysEnabled: Bool) async -> CatalogueRoom {
        if saysEnabled { unwritten.remove(room.id) }
        var room = (try? await catalogue.room(room.id)) ?? room
        if unwritten.contains(room.id) { room.isEnabled = false }
        return room
    }

    /// Retries saving locks that the disk refused.
    func writeDown() async {
        for id in unwritten {
            let room = CatalogueRoom(id: id, name: id.rawValue, createdAt: clock())
            do throws(CatalogueError) {
                // The first join may have met the same full disk.
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
        // No room id contains a period, so no room created by a join has this name.
        try await catalogue.registerRoom(
            room, otherName: "\(room.id).\(UInt64.random(in: .min ... .max))")
    }
}

import MediaKernel
import RTP
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// A subscriber's layer of a simulcast: limited by its path, by its request, and by the
    /// publisher's layers.
    @Suite struct SubscriberLayersTests {
        private let best = 0
        private let middle = 1
        private let poorest = 2

        @Test func aWideWayGetsTheBestLayer() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            #expect(room.current == best)
            #expect(!room.isLimited)
        }

        @Test func aNarrowWayGetsALowerLayerAndKeepsIt() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.rate = 450_000
            let taken = room.run(upTo: .seconds(5)) { $0.current == middle }
            #expect(taken != nil, "the best layer is sent into a way that does not carry it")
            room.run(for: .seconds(3))
            let (beginnings, lost, begin) = (room.beginnings, room.lost, room.now)
            room.run(for: .seconds(15))
            #expect(room.current == middle && room.isLimited)
            // A probe may exceed the path's capacity for a moment; the picture never suffers.
            #expect(room.beginnings - beginnings <= 2)
            #expect(room.lost - lost <= 20)
            #expect(room.packets(since: begin) >= 15 * 30 * 2 * 9 / 10)
        }

        /// A busy machine delays packets by up to 16 ms again and again, and catches up.
        @Test func aWayThatHoldsPacketsBackForAMomentKeepsItsLayer() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.hold = { now in
                let share = Double(now.nanoseconds % 1_000_000_000) / 1e9
                return .microseconds(Int64(16_000 * min(share, 1 - share) * 2))
            }
            let beginnings = room.beginnings
            let taken = room.run(upTo: .seconds(60)) { $0.isLimited || $0.current != 0 }
            #expect(taken == nil && room.beginnings == beginnings)
        }

        @Test func aVeryNarrowWayGetsThePoorestLayer() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.rate = 180_000
            #expect(room.run(upTo: .seconds(8)) { $0.current == poorest } != nil)
            room.run(for: .seconds(5))
            #expect(room.current == poorest)
        }

        @Test func aFullWayIsNotKeptFullByWhatItsViewerAsksForAgain() async throws {
            let room = try await SimulatedRoom.connected()
            room.asksForLost = true
            room.run(for: .seconds(3))
            room.rate = 180_000
            #expect(room.run(upTo: .seconds(3)) { $0.current == poorest } != nil)
            room.run(for: .seconds(1))
            let (lost, beginnings, begin) = (room.lost, room.beginnings, room.now)
            room.run(for: .seconds(10))
            #expect(room.current == poorest && room.beginnings == beginnings)
            #expect(room.lost - lost <= 20)
            #expect(room.packets(since: begin) >= 10 * 30 * 9 / 10)
        }

        @Test func whatIsLostByChanceIsSentAgainHoweverMuch() async throws {
            let room = try await SimulatedRoom.connected()
            room.asksForLost = true
            room.losesOneOf = 4
            room.run(for: .seconds(30))
            let begin = room.now
            room.run(for: .seconds(5))
            let numbers = Set(
                room.seen.filter { $0.at >= begin }.map(\.packet.sequenceNumber))
            #expect(room.current == poorest)
            #expect(numbers.count >= 5 * 30 * 97 / 100)
        }

        @Test func theBestLayerComesBackWhenTheWayIsWideAgain() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.rate = 450_000
            room.run(for: .seconds(10))
            #expect(room.current == middle)
            room.rate = 10_000_000
            #expect(room.run(upTo: .seconds(20)) { $0.current == best } != nil)
            room.run(for: .seconds(2))
            #expect(room.current == best && !room.isLimited)
        }

        @Test func whatIsNotWantedIsNotSentAndComesBackAtOnce() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(1))
            room.prefer(.none)
            room.run(for: .milliseconds(100))
            let begin = room.now
            room.run(for: .seconds(2))
            #expect(room.packets(since: begin) == 0)
            room.prefer(.low)
            let back = room.now
            room.run(for: .milliseconds(200))
            #expect(room.packets(since: back) > 0 && room.current == poorest)
        }

        @Test func aLayerThatItsPublisherSwitchesOffIsReplacedAndComesBack() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(2))
            room.source.isSent[best] = false
            let begin = room.now
            #expect(room.run(upTo: .seconds(1)) { $0.current == middle } != nil)
            // Eight pictures are missing before the loss is certain, then a key frame comes.
            #expect(room.now - begin <= .milliseconds(400))
            room.source.isSent[best] = true
            #expect(room.run(upTo: .milliseconds(400)) { $0.current == best } != nil)
        }

        @Test func aPauseOfAllLayersIsNoneOfThem() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(2))
            let beginnings = room.beginnings
            room.source.isSent = [false, false, false]
            room.run(for: .seconds(3))
            room.source.isSent = [true, true, true]
            room.run(for: .seconds(1))
            #expect(room.current == best && room.beginnings == beginnings)
        }

        @Test func aWayThatCarriesNothingIsDegradedAndRestored() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            #expect(room.told?.current == .high && room.told?.isSubscriberDegraded == false)
            #expect(room.quality == 5)
            room.rate = 50_000
            #expect(
                room.run(upTo: .seconds(15)) { $0.told?.current == LayerPreference.none } != nil)
            #expect(room.told?.isSubscriberDegraded == true && room.told?.expected == .high)
            #expect(room.current == nil)
            #expect(room.run(upTo: .seconds(10)) { $0.quality == 1 } != nil)
            room.rate = 10_000_000
            #expect(room.run(upTo: .seconds(90)) { $0.told?.current == .high } != nil)
            #expect(room.told?.isSubscriberDegraded == false)
            #expect(room.run(upTo: .seconds(1)) { $0.current == best } != nil)
            #expect(room.run(upTo: .seconds(10)) { $0.quality == 5 } != nil)
        }

        @Test func aRolesMaximumBoundsTheLayerAndSaysNothingOfTheWay() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(2))
            room.subscribe(maximum: 500_000)
            #expect(room.run(upTo: .seconds(1)) { $0.current == middle } != nil)
            let begin = room.now
            room.run(for: .seconds(10))
            #expect(room.current == middle && room.isLimited && room.quality == 5)
            let bytes = room.seen.filter { $0.at >= begin }.reduce(0) {
                $0 + $1.packet.payload.count
            }
            #expect(bytes * 8 / 10 <= 500_000, "nor is room looked for that is not to be used")
            room.subscribe()
            #expect(room.run(upTo: .seconds(6)) { $0.current == best } != nil)
        }

        @Test(arguments: [6, 8])
        func lossAloneLeavesNoVideoOut(losesOneOf: Int) async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.losesOneOf = losesOneOf
            #expect(room.run(upTo: .seconds(10)) { $0.isLimited } != nil)
            #expect(room.run(upTo: .seconds(60)) { $0.current == nil } == nil)
            #expect(room.told?.isSubscriberDegraded == true && (room.quality ?? 5) <= 3)
        }

        @Test func lossTakesTheVideoAndItsEndGivesItBack() async throws {
            let room = try await SimulatedRoom.connected()
            // So little that the estimate tolerates it.
            room.losesOneOf = 20
            room.run(for: .seconds(5))
            #expect(room.current == best)
            room.subscribe(
                lossRule: .init(
                    threshold: 0.01, degradeGrace: .seconds(1), recoverGrace: .seconds(2)))
            #expect(room.run(upTo: .seconds(4)) { $0.told?.current == LayerPreference.none } != nil)
            #expect(room.told?.isSubscriberDegraded == true)
            room.losesOneOf = 0
            #expect(
                room.run(upTo: .seconds(30)) { ($0.told?.current ?? .none) > .none } != nil)
            #expect(room.run(upTo: .seconds(1)) { $0.current != nil } != nil)
        }

        @Test func theGraceOfARuleEndsWithTheRule() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            room.subscribe(
                lossRule: .init(
                    threshold: 1, degradeGrace: .seconds(1), recoverGrace: .seconds(60)))
            room.rate = 450_000
            room.run(for: .seconds(10))
            #expect(room.current == middle)
            room.rate = 10_000_000
            room.subscribe()
            #expect(room.run(upTo: .seconds(20)) { $0.current == best } != nil)
        }

        @Test func whoAsksForVideosGetsOneWhenItAsksAndNotBefore() async throws {
            let room = try await SimulatedRoom.connected(asksForVideos: true)
            room.run(for: .seconds(3))
            #expect(room.seen.isEmpty && room.current == nil)
            #expect(room.told == nil && !room.isLimited && room.quality == 5)
            let sound = room.subscription(to: "sound")
            #expect(sound?.forwarder.wanted != nil, "sound is not asked for")
            room.prefer(.high)
            #expect(room.run(upTo: .seconds(2)) { $0.current == best && !$0.seen.isEmpty } != nil)
            #expect(room.told?.current == .high)
            room.prefer(.none)
            room.run(for: .seconds(1))
            #expect(room.told?.current == LayerPreference.none)
            #expect(room.told?.isSubscriberDegraded == false)
            #expect(room.told?.isPublisherDegraded == false)
        }

        @Test func whatThereIsIsSaidToWhoComesLater() async throws {
            let room = try await SimulatedRoom.connected()
            let told = room.subscription(to: "video")?.told
            #expect(told?.layers.map(\.width) == [320, 640, 1280])
            #expect(told?.current == .high)
        }
    }
}

import MediaServer
import Testing

@testable import Service

@Suite struct DescriptorBudgetTests {
    private let wish = DescriptorBudget.Shares(
        connections: 8192, links: 4096, bots: 4, finishers: 2)

    private func budget(
        _ limit: Int, own: Int = 50, _ change: (inout DescriptorBudget.Shares) -> Void = { _ in }
    ) throws -> DescriptorBudget {
        var wish = wish
        change(&wish)
        return try DescriptorBudget(fitting: wish, into: limit, own: own)
    }

    @Test func whatFitsIsGranted() throws {
        let budget = try budget(65_536)
        #expect(budget.shares == wish)
        #expect(budget.reserve == 256)
    }

    @Test(arguments: [256, 1024, 4096, 20_000])
    func allMaximaTogetherLeaveTheReserveFree(limit: Int) throws {
        for bots in [1, 4, 100, 1000] {
            for links in [0, 4096] {
                let budget = try budget(limit) { wish in
                    wish.bots = bots
                    wish.links = links
                }
                let used = budget.own + DescriptorBudget.cost(of: budget.shares)
                #expect(used + budget.reserve <= limit)
                // Nor are many requested descriptors left unused.
                #expect(
                    used + budget.reserve > limit - 4
                        || budget.shares.connections == wish.connections
                            && budget.shares.links == links
                )
                #expect(budget.reserve >= 24)
                #expect(budget.shares.bots >= 1 && budget.shares.links <= links)
                // Each bot can connect to the server.
                #expect(
                    budget.shares.connections
                        >= budget.shares.bots * DescriptorBudget.connectionsPerBot)
            }
        }
    }

    @Test func smallLimitsStillHaveSomeOfEach() throws {
        #expect(
            try budget(256).shares
                == DescriptorBudget.Shares(connections: 65, links: 32, bots: 4, finishers: 2))
        #expect(
            try budget(1024).shares
                == DescriptorBudget.Shares(connections: 356, links: 178, bots: 4, finishers: 2))
    }

    @Test func fewConnectionsLeaveRoomForTheirOwnNumber() throws {
        let budget = try budget(1024) { $0.connections = 100 }
        #expect(budget.shares.connections == 100 && budget.shares.links < 4096)
    }

    @Test func aLimitBelowTheLeastIsRefusedWithTheFigures() throws {
        let needed = 50 + 24 + DescriptorBudget.cost(of: DescriptorBudget.least)
        #expect(
            throws: DescriptorBudget.Shortage(limit: 64, needed: needed, own: 50, reserve: 24)
        ) { try budget(64) }
        #expect(
            throws: DescriptorBudget.Shortage(
                limit: needed - 1, needed: needed, own: 50, reserve: 24)
        ) { try budget(needed - 1) }
        let least = try budget(needed)
        #expect(least.shares.bots == 1 && least.shares.connections == 18)
        // With more cores more descriptors are open.
        #expect(throws: DescriptorBudget.Shortage.self) { try budget(256, own: 250) }
    }

    @Test func theServerTellsWhatItNeeds() {
        let error = SettingsError.tooFewDescriptors(limit: 64, needed: 123, own: 46, reserve: 24)
        for figure in ["64", "123", "46", "24", "LimitNOFILE"] {
            #expect(error.description.contains(figure))
        }
    }

    @Test func aStoreAndWebhooksTakeSomeToo() {
        var settings = Settings()
        settings.udp.threads = 2
        let own = settings.ownDescriptors(cores: 2)
        #expect(own == 49)
        #expect(settings.ownDescriptors(cores: 4) == own + 6)
        settings.udp.threads = 3
        #expect(settings.ownDescriptors(cores: 2) == own + 4)
        settings.rooms.openVidu.webhook = OpenViduWebhook(url: "http://h", events: [])
        #expect(settings.ownDescriptors(cores: 2) == own + 20)
    }

    @Test func withoutMediaOverTCPNothingIsKeptForIt() {
        var settings = Settings()
        settings.tcp.port = .none
        #expect(settings.descriptorWish.links == 0)
    }
}

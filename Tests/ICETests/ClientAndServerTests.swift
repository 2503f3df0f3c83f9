import ICE
import MediaKernel
import Testing

/// The full controlling agent of the bot against the lite agent of the server.
@Suite struct ClientAndServerTests {
    @Test func theyConnectWithinTwoRoundTripsAndOnePace() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.bothConnected)
        // A check, its nomination, and their answers.
        #expect(network.elapsed <= .milliseconds(90))
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
        #expect(network.hosts[1].agent.selected == Network.clientAddress)
        #expect(network.states(0) == [.checking, .connected])
        #expect(network.selections(0) == [Network.serverAddress])
    }

    @Test func aPathIsToldBeforeTheStateItBringsAbout() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        for host in network.hosts {
            let outputs = host.events.map { $0.output }
            let selected = outputs.firstIndex { if case .selected = $0 { true } else { false } }
            let connected = outputs.firstIndex(of: .state(.connected))
            #expect(selected != nil && connected != nil)
            if let selected, let connected { #expect(selected < connected) }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theyConnectThroughHeavyLossWithinSeconds(seed: UInt64) {
        var network = Network.clientAndServer(seed: seed)
        network.loss = 0.4
        network.run(for: .seconds(20)) { $0.bothConnected }
        #expect(network.bothConnected)
    }

    @Test func aGoodPathStaysConnectedForAnHourWithFewPackets() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(3600))
        #expect(network.bothConnected)
        #expect(network.states(0) == [.checking, .connected])
        #expect(network.states(1).last == .connected)
        #expect(!network.states(1).contains(.disconnected))
        // RFC 7675: at most one every 4 s, and as many answers to the other side's.
        #expect(network.hosts[0].sentCount <= 2 * 905)
        #expect(network.hosts[0].sentCount >= 2 * 595)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func moderateLossNeverLooksLikeALostPath(seed: UInt64) {
        var network = Network.clientAndServer(seed: seed)
        network.run(for: .seconds(1))
        network.loss = 0.1
        network.run(for: .seconds(600))
        #expect(network.bothConnected)
        #expect(!network.states(0).contains(.disconnected))
        #expect(!network.states(1).contains(.disconnected))
    }

    @Test func silenceBecomesDisconnectedAndThenFailed() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        network.loss = 1
        network.run(for: .seconds(14))
        #expect(network.hosts.map { $0.agent.state } == [.disconnected, .disconnected])
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
        network.run(for: .seconds(31))
        #expect(network.hosts.map { $0.agent.state } == [.failed, .failed])
        #expect(network.hosts.allSatisfy { $0.agent.selected == nil })
        #expect(network.hosts.allSatisfy { $0.agent.nextDeadline == nil })
        let sent = network.hosts[0].sentCount
        network.run(for: .seconds(600))
        #expect(network.hosts[0].sentCount == sent)
    }

    @Test func aPathThatComesBackInTimeIsUsedAgain() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        network.loss = 1
        network.run(for: .seconds(20))
        network.loss = 0
        network.run(for: .seconds(5))
        #expect(network.bothConnected)
        #expect(network.states(0) == [.checking, .connected, .disconnected, .connected])
    }

    @Test func aWrongPasswordNeverConnectsAndEndsAsFailed() {
        var network = Network.clientAndServer(
            passwordTheClientKnows: "not-the-servers-password")
        network.run(for: .seconds(29))
        #expect(network.hosts[0].agent.state == .checking)
        #expect(network.hosts[1].agent.selected == nil)
        // Not one byte was sent to an unauthenticated sender.
        #expect(network.hosts[1].sentCount == 0)
        #expect(network.hosts[1].errors.allSatisfy { $0 == .wrongPassword })
        network.run(for: .seconds(10))
        #expect(network.hosts.map { $0.agent.state } == [.failed, .failed])
    }

    @Test func aServerThatComesLateIsFoundAndNoFasterThanThePace() {
        var network = Network.clientAndServer()
        network.darkAddresses = [Network.serverAddress]
        network.run(for: .seconds(15))
        #expect(network.hosts[0].agent.state == .checking)
        #expect(network.hosts[0].sentCount < 40)
        network.darkAddresses = []
        network.run(for: .seconds(5))
        #expect(network.bothConnected)
    }

    @Test func aRestartMovesToNewCredentialsWhileThePathStaysInUse() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(3))
        let new = ICECredentials(
            usernameFragment: "new!", password: "new-password-of-22-chars")
        let answer = ICECredentials(
            usernameFragment: "ans!", password: "ans-password-of-22-chars")
        network.hosts[1].agent.restart(local: new, at: network.now)
        network.drain()
        #expect(network.hosts[1].agent.state == .checking)
        #expect(network.hosts[1].agent.selected == Network.clientAddress)
        // The client learns of it only after two more consent checks.
        network.run(for: .seconds(12))
        #expect(network.hosts[0].agent.state == .connected)
        #expect(!network.hosts[1].errors.contains(.unknownUsername))

        network.hosts[0].agent.restart(local: answer, at: network.now)
        network.hosts[0].agent.setRemote(new, at: network.now)
        network.hosts[0].agent.addRemoteCandidate(.host(Network.serverAddress), at: network.now)
        network.hosts[1].agent.setRemote(answer, at: network.now)
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.bothConnected)
        // The path did not change, so no selection was reported.
        #expect(network.selections(0).count == 1)
        network.run(for: .seconds(300))
        #expect(network.bothConnected)
        #expect(network.hosts[0].agent.localCredentials == answer)
    }

    @Test func aRestartLeadsOutOfFailed() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        network.loss = 1
        network.run(for: .seconds(60))
        network.loss = 0
        let new = ICECredentials(
            usernameFragment: "new!", password: "new-password-of-22-chars")
        network.hosts[1].agent.restart(local: new, at: network.now)
        network.hosts[0].agent.setRemote(new, at: network.now)
        network.hosts[0].agent.addRemoteCandidate(.host(Network.serverAddress), at: network.now)
        network.run(for: .seconds(1))
        #expect(network.bothConnected)
    }

    @Test func aNewAddressOfTheClientIsFollowedByTheServer() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        // A NAT on the way gives the client another port.
        let moved = TransportAddress(ipv4: 192, 0, 2, 10, port: 41_000)
        network.hosts[0].addresses = [moved]
        network.run(for: .seconds(7))
        #expect(network.hosts[1].agent.selected == moved)
        #expect(network.selections(1) == [Network.clientAddress, moved])
        #expect(network.bothConnected)
    }

    @Test func anotherPathThatWorkedServesWhenTheChosenOneGoesDark() {
        let dead = TransportAddress(ipv4: 203, 0, 113, 9, port: 9)
        let second = TransportAddress(ipv4: 198, 51, 100, 1, port: 50_000)
        var network = Network.clientAndServer()
        // The dead candidate of the same rank keeps the choice open until both others have
        // answered.
        var client = Network.agent(.full(controlling: true), Network.clientCredentials)
        client.addLocalCandidate(.host(Network.clientAddress))
        client.setRemote(Network.serverCredentials, at: network.now)
        client.addRemoteCandidate(.host(dead), at: network.now)
        client.addRemoteCandidate(
            .host(Network.serverAddress, preference: 2000), at: network.now)
        client.addRemoteCandidate(.host(second, preference: 1000), at: network.now)
        network.hosts[0].agent = client
        network.hosts[1].addresses.append(second)
        network.run(for: .seconds(1))
        #expect(network.destinations.contains(second))
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
        network.darkAddresses = [Network.serverAddress]
        // Found as soon as the silence is noticed, not after the selected path was given up.
        network.run(for: .seconds(9))
        #expect(network.hosts[0].agent.selected == second)
        #expect(network.bothConnected)
        #expect(network.states(0) == [.checking, .connected, .disconnected, .connected])
    }
}

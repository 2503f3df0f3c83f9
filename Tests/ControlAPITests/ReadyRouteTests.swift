import Catalogue
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct ReadyRouteTests {
    @Test func aServerThatIsBeingStoppedIsAliveAndNotReady() async throws {
        let world = try await TestWorld()
        try await world.routes { client in
            let ready = try await client.execute(uri: "/ready", method: .get)
            #expect(ready.status == .ok && ready.headers[.cacheControl] == "no-store")
            #expect(String(buffer: ready.body) == #"{"reasons":[],"status":"ready"}"#)
            world.control.state.withLock { $0.isShuttingDown = true }
            let drained = try await client.execute(uri: "/ready", method: .get)
            #expect(drained.status == .serviceUnavailable)
            #expect(
                String(buffer: drained.body)
                    == #"{"reasons":["the server is shutting down"],"status":"unready"}"#)
            let health = try await client.execute(uri: "/health", method: .get)
            #expect(
                String(buffer: health.body) == #"{"status":"ok","version":"\#(Version.current)"}"#)
        }
    }

    @Test func aServerWhoseCatalogueCannotBeWrittenIsNotReady() async throws {
        let world = try await TestWorld()
        let router = Router()
        ReadyRoute(
            control: world.control, checkCatalogue: { () throws(CatalogueError) in throw .full }
        )
        .add(to: router)
        try await Application(router: router).test(.router) { client in
            let answer = try await client.execute(uri: "/ready", method: .get)
            #expect(answer.status == .serviceUnavailable)
            let reasons = try TestJSON.object(answer)["reasons"] as? [String]
            #expect(reasons == ["the catalogue's disk is full"])
        }
    }

    @Test func aServerWhoseFilesAreGoneIsNotReadyAndTellsNobodyWhereTheyWere() async throws {
        let world = try await TestWorld()
        world.control.state.withLock { $0.storageLoss = "/srv/streams: deleted" }
        let router = Router()
        ReadyRoute(
            control: world.control,
            checkCatalogue: { () throws(CatalogueError) in
                throw .lost(.deleted)
            }
        )
        .add(to: router)
        try await Application(router: router).test(.router) { client in
            let answer = try await client.execute(uri: "/ready", method: .get)
            #expect(answer.status == .serviceUnavailable)
            let reasons = try TestJSON.object(answer)["reasons"] as? [String]
            #expect(
                reasons == [
                    "a directory of streams or recordings was deleted or replaced",
                    "the catalogue's file was deleted",
                ])
        }
    }
}

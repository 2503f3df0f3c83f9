import Catalogue
import Foundation
import Glibc
import MediaKernel
import MediaServer
import NIOCore
import Testing
import Workbench

@testable import Service

/// If a server cannot start, the error names the setting, the problem and the remedy.
@Suite struct StartFaultTests {
    private let place = BindingPlace(host: ("http.host", "203.0.113.7"), port: ("http.port", 80))

    private func words(_ code: Int32) -> String { SettingsError(place, code: code).description }

    @Test func anAddressThatCannotBeHad() {
        #expect(
            words(EADDRINUSE)
                == "http.port is not valid: 80 on 203.0.113.7 is taken by another program, perhaps by "
                + "another roomcast; end that one, or set another port")
        #expect(
            words(EACCES).hasPrefix("http.port is not valid: this user may not listen on port 80"))
        #expect(
            words(EADDRNOTAVAIL)
                == "http.host is not valid: 203.0.113.7 is not an address of this machine; 0.0.0.0 "
                + "stands for all that it has")
        #expect(words(0).hasPrefix("http.host is not valid: 203.0.113.7 is neither an address"))
        #expect(words(EMFILE) == "http.port is not valid: 203.0.113.7:80: Too many open files")
        let error = IOError(errnoCode: EADDRINUSE, reason: "bind(descriptor:ptr:bytes:)")
        #expect(SettingsError(error, at: place)?.description == words(EADDRINUSE))
        #expect(SettingsError(CancellationError(), at: place) == nil)
    }

    @Test func aMediaPortThatCannotBeHad() throws {
        let settings = try Settings(SettingsInput(file: nil, environment: [:]))
        for (transport, key) in [(.udp, "udp.port"), (.tcp, "tcp.port")]
            as [(TransportAddress.Transport, String)]
        {
            let error = settings.explained(
                MediaServerError.cannotBind(transport, host: "0.0.0.0", port: 7, code: EADDRINUSE))
            #expect("\(error)".hasPrefix("\(key) is not valid: 7 on 0.0.0.0 is taken"))
        }
    }

    @Test func aFileThatCannotBeRead() {
        #expect(
            throws: SettingsError.unreadable(file: "/nowhere", reason: "No such file or directory")
        ) {
            try Settings(SettingsInput(file: "/nowhere", environment: [:]))
        }
    }

    @Test func aDirectoryThatCannotBeMade() throws {
        let scratch = try Scratch()
        let file = try scratch.write("x".utf8, to: "file")
        var settings = try Settings(SettingsInput(file: nil, environment: [:])).stream
        settings.recordings.directory = "/proc/nowhere"
        #expect(
            refusedSetting {
                try RoomcastServer.openCatalogue(settings)
            } == "recordings.directory")
        settings.recordings.directory = file
        let error = #expect(throws: SettingsError.self) {
            try RoomcastServer.openCatalogue(settings)
        }
        #expect(error?.description.contains("\(file) cannot be used: a file") == true)
    }

    @Test func aCatalogueThatIsNone() throws {
        let scratch = try Scratch()
        let path = try scratch.write("nonsense that is no database".utf8, to: "catalogue.sqlite")
        var settings = try Settings(SettingsInput(file: nil, environment: [:])).stream
        settings.recordings.directory = (path as NSString).deletingLastPathComponent
        let error = #expect(throws: CatalogueFileError.self) {
            try RoomcastServer.openCatalogue(settings)
        }
        let words = try #require(error?.description)
        #expect(words.hasPrefix("\(path): the catalogue is damaged"))
        #expect(words.contains("move it away") && words.contains("roomcast reindex"))
    }
}

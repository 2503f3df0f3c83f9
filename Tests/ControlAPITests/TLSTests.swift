import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import ControlAPI

@Suite struct TLSTests {
    @Test func theServerSpeaksTLSWithItsCertificate() async throws {
        var world = try await TestWorld()
        (world.configuration.certificateFile, world.configuration.privateKeyFile) =
            try Self.write(into: world.directory)
        let token = try await world.roomToken()
        try await world.service.application().test(.ahc(.https)) { client in
            let response = try await client.execute(
                uri: "/init?peer_id=p", method: .get,
                headers: [.authorization: "Bearer \(token)"])
            #expect(response.status == .ok)
            let endpoint = try TestJSON.object(response)["endpoint"] as? String
            #expect(endpoint?.hasPrefix("wss://") == true)
        }
    }

    /// RFC 8996: versions before 1.2 must not be used.
    @Test(arguments: [
        (TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true),
    ])
    func olderVersionsOfTLSAreRefused(version: TLSVersion, isServed: Bool) async throws {
        var world = try await TestWorld()
        (world.configuration.certificateFile, world.configuration.privateKeyFile) =
            try Self.write(into: world.directory)
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.certificateVerification = .none
        (settings.minimumTLSVersion, settings.maximumTLSVersion) = (version, version)
        let context = try NIOSSLContext(configuration: settings)
        try await world.service.application().test(.ahc(.https)) { client in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: client.port ?? 0) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            try NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                        return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel)
                    }
                }
            let answer = try? await channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(
                        string: "GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))
                for try await part in inbound { return String(buffer: part) }
                return ""
            }
            #expect((answer?.hasPrefix("HTTP/1.1 200 ") ?? false) == isServed)
        }
    }

    @Test func whatKeepsTLSFromWorkingIsSaidAtTheStart() async throws {
        var world = try await TestWorld()
        let (certificate, key) = try Self.write(into: world.directory)
        for (first, second) in [
            (certificate, nil), (nil, key), ("/nowhere.pem", key), (certificate, "/nowhere.pem"),
            (key, certificate), (certificate, "\(world.directory)/web/index.html"),
        ] as [(String?, String?)] {
            world.configuration.certificateFile = first
            world.configuration.privateKeyFile = second
            #expect {
                try world.service
            } throws: { error in
                if case HTTPServiceError.certificate = error { true } else { false }
            }
        }
    }

    @Test func whatIsWrongWithTheFilesIsSaidWithTheSettingAndTheRemedy() async throws {
        var world = try await TestWorld()
        let (certificate, key) = try Self.write(into: world.directory)
        let other = "\(world.directory)/other.pem"
        try Data(Self.otherKey.utf8).write(to: URL(fileURLWithPath: other))
        let none = "\(world.directory)/none.pem"
        for (first, second, words) in [
            (none, key, "http.certificateFile: \(none) cannot be read: No such file or directory"),
            (
                certificate, none,
                "http.privateKeyFile: \(none) cannot be read: No such file or directory"
            ),
            (world.directory, key, "http.certificateFile: \(world.directory) is not a file"),
            (key, key, "http.certificateFile: \(key) has no certificate in PEM form"),
            (certificate, certificate, "http.privateKeyFile: \(certificate) has no private key"),
            (certificate, other, "http.privateKeyFile: \(other) is not the key of the certificate"),
        ] {
            world.configuration.certificateFile = first
            world.configuration.privateKeyFile = second
            let error = #expect(throws: HTTPServiceError.self) { try world.service }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "none")")
        }
    }

    @Test func missingPagesAreSaidAtTheStart() async throws {
        var world = try await TestWorld()
        world.configuration.pagesDirectory = "/nowhere"
        #expect(throws: HTTPServiceError.pages("the web pages cannot be read: /nowhere")) {
            try world.service
        }
    }

    private static func write(into directory: String) throws -> (String, String) {
        let paths = ("\(directory)/certificate.pem", "\(directory)/key.pem")
        try Data(certificate.utf8).write(to: URL(fileURLWithPath: paths.0))
        try Data(key.utf8).write(to: URL(fileURLWithPath: paths.1))
        return paths
    }

    /// Made for this test only; valid for a hundred years.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUGgAwIBAgIUXrgA5TwLmB70Fcap2RTvFWwRPwgwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAwMzMyMFoYDzIxMjYxMDI4
        MDAzMzIwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAR6fr9k/YGRNnSXS7xveXiwOWKlj5vEeG2cvLSNddvIzD/GAUb8eq45
        YdPDg/qmiCqJuNykI2kxWhIsrAVne7QNo28wbTAdBgNVHQ4EFgQUjPVwm+DmTH9v
        2qU1nt5n5abKu7IwHwYDVR0jBBgwFoAUjPVwm+DmTH9v2qU1nt5n5abKu7IwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDRwAwRAIgNCFdktWZwISt7SgOzP0vkwjPJeS5jzC3d+ANCR4mFQ8CIBX9
        aQpr/YLsvImazyv6LQuLptx2dMnoNYCzWiKL5xJ8
        -----END CERTIFICATE-----
        """

    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg30gC4+giXl0u6q4U
        ImNfo+OU71k2wlwXhOFhSTVCM0qhRANCAAT1nlU9udKIPqZ/z7dgxPC4+8m49vQP
        6XcQSA/o/7Ecg6+oq/WQ6ceguj69YL7x5DhDEokYQ3hqGlBCilHbdL0y
        -----END PRIVATE KEY-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguBaPoxKblVz7yh52
        WFUSwZqKHDO4GxM81xAy4fV+jayhRANCAAR6fr9k/YGRNnSXS7xveXiwOWKlj5vE
        eG2cvLSNddvIzD/GAUb8eq45YdPDg/qmiCqJuNykI2kxWhIsrAVne7QN
        -----END PRIVATE KEY-----
        """
}

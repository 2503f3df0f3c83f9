// swift-tools-version:6.2
import PackageDescription

// Targets are listed floor by floor (docs/ARCHITECTURE.md): a target may only depend on floors
// below its own.

let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]
// Tests see what is internal. What users install (`make release`) has no tests, and nothing that only
// they call.
let testing = Context.environment["ROOMCAST_PACKAGE"] == nil ? ["-enable-testing"] : []
// Generic types of one target that another one uses would find their layout at run time, at each
// call.
let settings: [SwiftSetting] =
    language + [
        .unsafeFlags(["-cross-module-optimization"] + testing, .when(configuration: .release))
    ]
// Checks at run time of accesses to stored properties would cost a bot 3 % of its CPU, in the loops
// over its samples and pictures. The debug build has them.
let samplesSettings: [SwiftSetting] =
    settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
// The tests themselves need not be fast, but built soon.
let testSettings: [SwiftSetting] =
    language + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// - Parameter path: the folder below `Sources`; its last part names the target.
func room(
    _ path: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = [],
    settings swiftSettings: [SwiftSetting] = settings
) -> Target {
    .target(
        name: name(path), dependencies: dependencies, path: "Sources/\(path)",
        resources: resources, swiftSettings: swiftSettings)
}

func library(_ path: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name(path), path: "Sources/\(path)", pkgConfig: pkgConfig)
}

func name(_ path: String) -> String {
    String(path.split(separator: "/").last!)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, exclude: exclude,
        resources: resources, swiftSettings: testSettings)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nio: [Target.Dependency] = [nioCore, .product(name: "NIOPosix", package: "swift-nio")]
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "roomcast",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "roomcast", targets: ["roomcast"])],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // Floor 0: C libraries.
        library("C/CLibAV"),
        library("C/COpus"),
        library("C/CYUV"),
        library("C/CPango", pkgConfig: "pangocairo"),
        library("C/COpenSSL"),
        library("C/CZlib"),
        library("C/CSRTP"),
        library("C/CUsrSCTP"),
        library("C/CSockets"),
        library("C/CSandbox"),
        library("C/CProcesses"),

        // Floor 1: time, ids, bytes, JSON.
        room("Base/MediaKernel"),

        // Floor 2: pure, no Foundation, no NIO, no C.
        room("WebRTC/RTP", ["MediaKernel"]),
        room("WebRTC/ICE", ["MediaKernel"]),
        room("WebRTC/SDP", ["MediaKernel"]),
        room("Media/HLS", ["MediaKernel"]),
        room("Media/ISOMedia"),
        room("Media/Matroska", ["MediaKernel"]),
        room("Media/Ogg"),
        room("Rooms/Rooms", ["MediaKernel"]),
        room("Rooms/GroupCalls", ["MediaKernel"]),
        room("Media/Stage", ["MediaKernel"], settings: samplesSettings),
        room("Base/Zip"),
        room("Base/XML"),
        room("Base/HOCON"),

        // Floor 3: C libraries behind Swift types.
        room("WebRTC/SecureTransport", ["MediaKernel", "COpenSSL", "CSRTP"]),
        room("WebRTC/DataChannel", ["MediaKernel", "CUsrSCTP"]),
        room("Media/Codec", ["MediaKernel", "CLibAV", "COpus"], settings: samplesSettings),
        room(
            "Media/Recording", ["MediaKernel", "HLS", "ISOMedia", "Matroska", "Ogg", "Zip"]),
        room("HTTP/Webhooks", ["MediaKernel"]),
        room("Streams/Streams", ["MediaKernel", "HLS", "Rooms", "Stage"]),
        room("Protocols/HundredMSTerms", ["MediaKernel", "Rooms", "GroupCalls"]),
        room("Base/Digests", ["COpenSSL"]),
        room("Base/Clocks", ["MediaKernel"]),
        room("Base/Sandbox", ["CSandbox"]),
        room("WebRTC/Datagrams", ["MediaKernel", "CSockets"] + nio),
        room(
            "Base/ClientConnections",
            [
                "MediaKernel",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio),

        // Floor 4: one connection, one picture, orders to a child process.
        room(
            "WebRTC/PeerConnection",
            ["MediaKernel", "RTP", "ICE", "SDP", "Digests", "SecureTransport", "DataChannel"]),
        room("Base/Signing", ["MediaKernel", "Digests"]),
        room("Base/Tokens", ["MediaKernel", "Digests"]),
        room("Protocols/XMPP", ["COpenSSL", "MediaKernel", "Digests", "XML"]),
        room(
            "Streams/Catalogue",
            [
                "MediaKernel", "Streams", "GroupCalls",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        room("Streams/ObjectStorage", ["MediaKernel", "Digests", "XML"]),
        room(
            "Media/Compositor", ["MediaKernel", "Stage", "Codec", "CYUV", "CPango"],
            settings: samplesSettings),
        room("Media/Speech", ["MediaKernel", "Streams", "Clocks", "Sandbox"]),
        room("Streams/ChildProcesses", ["MediaKernel", "Stage", "Streams", "Recording"]),

        // Floor 5: rooms on the air, streams, HTTP.
        room(
            "WebRTC/MediaServer",
            [
                "MediaKernel", "RTP", "ICE", "SDP", "SecureTransport", "DataChannel", "Clocks",
                "Datagrams", "PeerConnection", log, nioCore,
            ]),
        room(
            "WebRTC/MediaClient",
            [
                "MediaKernel", "RTP", "ICE", "SDP", "SecureTransport", "DataChannel", "Clocks",
                "ClientConnections", "Datagrams", "PeerConnection",
                .product(name: "AsyncHTTPClient", package: "async-http-client"), log, nioCore,
            ]),
        room(
            "Protocols/XMPPClient",
            [
                "MediaKernel", "XML", "Clocks", "ClientConnections", "XMPP",
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ] + nio),
        room("Protocols/Jibri", ["MediaKernel", "HLS", "HOCON", "XML", "XMPP"]),
        room(
            "Media/Pipeline",
            [
                "MediaKernel", "Stage", "HLS", "Clocks", "Codec", "Compositor", "Recording",
                "Streams", "Datagrams", log,
            ],
            settings: samplesSettings),
        room(
            "HTTP/ControlAPI",
            [
                "CZlib", "MediaKernel", "HLS", "Clocks", "Rooms", "GroupCalls", "Stage", "Streams",
                "HundredMSTerms", "Tokens", "Recording", "Catalogue", "Digests", "Signing",
                "ObjectStorage", "Datagrams", "Webhooks", log,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Yams", package: "Yams"),
            ] + nio, resources: [.copy("Web")]),
        // Floor 6: the owner of a room, and a room that a program has joined. Speak no protocol.
        room(
            "Rooms/RoomHost",
            [
                "MediaKernel", "SDP", "Clocks", "Rooms", "GroupCalls", "PeerConnection",
                "MediaServer", log,
            ]),

        room(
            "Rooms/RemoteRoom",
            [
                "MediaKernel", "RTP", "SDP", "ClientConnections", "PeerConnection", "MediaClient",
                log, nioCore,
            ]),

        // Floor 7: the protocols, a target each: its server and its client.
        room(
            "Protocols/HundredMS",
            [
                "MediaKernel", "SDP", "SecureTransport", "ClientConnections", "Clocks", "Rooms",
                "GroupCalls", "PeerConnection", "MediaServer", "RoomHost", "MediaClient",
                "RemoteRoom", "HundredMSTerms", log,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"), nioCore,
            ]),
        room(
            "Protocols/WHIP",
            [
                "MediaKernel", "SDP", "Clocks", "Rooms", "PeerConnection", "MediaServer",
                "RoomHost", "MediaClient", "RemoteRoom", log, nioCore,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        room(
            "Protocols/OpenVidu",
            [
                "MediaKernel", "SDP", "ClientConnections", "Clocks", "Rooms", "PeerConnection",
                "MediaServer", "RoomHost", "MediaClient", "RemoteRoom", log, nioCore,
            ]),
        room(
            "Protocols/Jitsi",
            [
                "MediaKernel", "Digests", "XML", "ICE", "SDP", "ClientConnections", "Clocks",
                "Rooms", "PeerConnection", "XMPP", "Jibri", "MediaServer", "MediaClient",
                "XMPPClient", "RoomHost", "RemoteRoom", log, nioCore,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        room(
            "Protocols/WebPage",
            [
                "CProcesses", "MediaKernel", "SDP", "Clocks", "Datagrams", "Sandbox", "Streams",
                "PeerConnection", "MediaClient", "RemoteRoom", log,
            ] + nio),

        // Floor 8: the roles, wired.
        room(
            "Programs/Bot",
            [
                "MediaKernel", "RTP", "SDP", "Stage", "HLS", "Rooms", "Streams", "Clocks", "Codec",
                "PeerConnection", "Pipeline", "Recording", "ChildProcesses", "MediaClient",
                "RemoteRoom", "Sandbox", "Speech", log,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nio),
        room(
            "Programs/Finisher",
            [
                "MediaKernel", "Stage", "HLS", "ISOMedia", "Streams", "Codec", "Compositor",
                "Recording", "Catalogue", "ChildProcesses", "Sandbox",
            ]),
        room(
            "Programs/Publisher",
            [
                "MediaKernel", "RTP", "SDP", "Clocks", "Codec", "PeerConnection", "MediaClient",
                "RemoteRoom", log, nioCore,
            ]),
        room(
            "Programs/Service",
            [
                "CProcesses", "MediaKernel", "HLS", "Stage", "Rooms", "GroupCalls", "Clocks", "XML",
                "Codec", "Compositor",
                "Streams", "Tokens", "RoomHost", "HundredMSTerms", "HundredMS", "OpenVidu", "WHIP",
                "WebPage", "ClientConnections", "XMPP", "XMPPClient", "Jibri", "Jitsi",
                "MediaServer", "Datagrams", "Recording", "Catalogue", "Digests", "Signing",
                "Webhooks", "ObjectStorage", "ChildProcesses", "ControlAPI", "Sandbox", log,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ] + nio),

        // Floor 9: the command line.
        .executableTarget(
            name: "roomcast",
            dependencies: [
                "MediaKernel", "HLS", "Rooms", "Clocks", "Streams", "Tokens", "Bot", "Publisher",
                "Finisher",
                "Catalogue", "ChildProcesses", "MediaClient", "RemoteRoom", "HundredMS", "WHIP",
                "OpenVidu", "Jitsi", "XMPP", "XMPPClient", "ClientConnections", "WebPage", "HOCON",
                "Jibri", "Sandbox", "Speech", "Service",
                "ControlAPI", log,
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: settings),

        // What several targets' tests have in common.
        .target(
            name: "Workbench", dependencies: ["MediaKernel", "Digests", "HLS"],
            path: "Tests/Workbench", exclude: ["Programs"],
            swiftSettings: testSettings),
        .target(
            name: "RecordedStreams",
            dependencies: ["MediaKernel", "CLibAV", "Codec", "Recording", "Workbench"],
            path: "Tests/RecordedStreams", swiftSettings: testSettings),

        // What `make bench-rooms` fills rooms with.
        .executableTarget(
            name: "load-rooms",
            dependencies: [
                "MediaKernel", "RTP", "SDP", "Clocks", "PeerConnection", "MediaClient",
                "RemoteRoom", "HundredMS", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nio, path: "Tests/LoadRooms", swiftSettings: settings),

        // What forwarding costs without the kernel (docs/BENCHMARKS.md).
        .executableTarget(
            name: "forwarding-cost",
            dependencies: [
                "MediaKernel", "RTP", "ICE", "SDP", "SecureTransport", "CSockets", "Datagrams",
                "PeerConnection", "MediaServer", log,
                .product(name: "NIOPosix", package: "swift-nio"),
            ], path: "Tests/ForwardingCost", swiftSettings: settings),

        // Tries the doors of a sandbox from inside, for its tests.
        .executableTarget(
            name: "sandbox-doors", dependencies: ["CSandbox", "Sandbox"],
            path: "Tests/SandboxDoors", swiftSettings: settings),

        // A client of XMPP that takes its orders in lines of JSON, for test_xmpp.py.
        .executableTarget(
            name: "xmpp-probe",
            dependencies: ["XML", "ClientConnections", "XMPP", "XMPPClient"] + nio,
            path: "Tests/XMPPProbe", swiftSettings: settings),

        tests("MediaKernel", ["Workbench"]),
        tests("RTP", ["MediaKernel"]),
        tests("ICE", ["MediaKernel"]),
        tests("SDP", ["MediaKernel", "Workbench"]),
        tests("HLS", ["MediaKernel", "Workbench"]),
        tests("Rooms", ["MediaKernel"]),
        tests("GroupCalls", ["MediaKernel"]),
        tests("Stage", ["MediaKernel"]),
        tests("Zip", ["MediaKernel", "Workbench"]),
        tests("XML", ["MediaKernel", "Workbench"]),
        tests("HOCON", ["MediaKernel", "Workbench"]),
        tests("SecureTransport", ["MediaKernel"]),
        tests("DataChannel", ["MediaKernel", "CUsrSCTP"]),
        tests("Codec", ["MediaKernel", "CLibAV", "RecordedStreams", "Workbench"]),
        tests("ISOMedia"),
        tests("Matroska"),
        tests("Ogg"),
        tests(
            "Recording",
            [
                "ISOMedia", "MediaKernel", "HLS", "Codec", "RecordedStreams",
                "Workbench",
            ]),
        tests("Signing", ["MediaKernel"]),
        tests("Webhooks", ["MediaKernel"]),
        tests("Digests", ["MediaKernel"]),
        tests("Streams", ["MediaKernel", "HLS", "Rooms", "Stage"]),
        tests("Tokens", ["MediaKernel", "Digests", "Workbench"]),
        tests("ObjectStorage", ["MediaKernel", "Digests", "Workbench"]),
        tests(
            "Catalogue",
            [
                "MediaKernel", "Streams", "GroupCalls", "Workbench",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests("Datagrams", ["MediaKernel", "CSockets", "Workbench"] + nio),
        tests("Speech", ["MediaKernel"]),
        tests("Sandbox", ["CSandbox", "sandbox-doors"]),
        tests(
            "PeerConnection",
            ["MediaKernel", "RTP", "ICE", "SDP", "SecureTransport", "DataChannel"]),
        tests(
            "Compositor", ["MediaKernel", "Stage", "Codec", "Workbench"],
            resources: [.copy("Golden")]),
        tests(
            "ChildProcesses",
            ["MediaKernel", "HLS", "Stage", "Streams", "Recording", "Workbench"]),
        tests(
            "MediaServer",
            [
                "MediaKernel", "RTP", "ICE", "SDP", "SecureTransport", "Clocks",
                "Datagrams", "PeerConnection", log,
            ] + nio),
        tests(
            "WHIP",
            [
                "MediaKernel", "RTP", "SDP", "Rooms", "PeerConnection", "MediaServer", "RoomHost",
                "MediaClient", "RemoteRoom", "HundredMSTerms", "Workbench", log,
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nio),
        tests(
            "OpenVidu",
            [
                "MediaKernel", "SDP", "Rooms", "PeerConnection", "MediaServer", "RoomHost",
                "MediaClient", "RemoteRoom", "HundredMSTerms", "Workbench",
            ]),
        tests("WebPage", ["MediaKernel", "MediaClient"] + nio),
        tests("XMPP", ["MediaKernel", "Digests", "XML"]),
        tests("RemoteRoom", ["ClientConnections"]),
        tests("ClientConnections", ["MediaKernel"] + nio),
        tests("Jibri", ["MediaKernel", "HOCON", "XML", "XMPP"]),
        tests(
            "HundredMS",
            [
                "MediaKernel", "RTP", "SDP", "Rooms", "GroupCalls", "PeerConnection",
                "MediaServer", "RoomHost", "MediaClient", "RemoteRoom", "HundredMSTerms",
                "Workbench", log,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ] + nio),
        tests(
            "Pipeline",
            [
                "MediaKernel", "Stage", "HLS", "ISOMedia", "Codec", "Compositor", "Clocks",
                "Recording", "RecordedStreams", "Streams", "Workbench", log,
            ]),
        tests(
            "Jitsi",
            [
                "MediaKernel", "XML", "RTP", "ICE", "SDP", "SecureTransport", "DataChannel",
                "Rooms", "PeerConnection", "XMPP", "Jibri", "MediaServer", "RoomHost", "RemoteRoom",
                "HundredMSTerms", "Workbench", log,
            ]),
        tests(
            "ControlAPI",
            [
                "MediaKernel", "HLS", "Rooms", "Stage", "Streams", "Tokens", "Catalogue", "Digests",
                "Signing",
                "GroupCalls", "ObjectStorage", "HundredMSTerms", "Webhooks", "Workbench", log,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio),
        tests(
            "MediaClient",
            [
                "MediaKernel", "RTP", "ICE", "SDP", "Digests", "SecureTransport", "Datagrams",
                "PeerConnection", "MediaServer", log,
            ] + nio),
        tests(
            "Finisher",
            [
                "MediaKernel", "Streams", "Codec", "Recording", "Catalogue", "ChildProcesses",
                "RecordedStreams", "Workbench",
            ]),
        tests(
            "Bot",
            [
                "MediaKernel", "RTP", "SDP", "Stage", "Streams", "Codec", "PeerConnection",
                "Pipeline", "ChildProcesses", "MediaClient", "RemoteRoom", "Speech", "Workbench",
            ] + nio),
        tests(
            "Publisher", ["MediaKernel", "RTP", "Codec", "RemoteRoom", "Workbench"]),
        tests(
            "Service",
            [
                "MediaKernel", "HLS", "Stage", "Rooms", "GroupCalls", "Clocks", "Codec", "RoomHost",
                "HundredMS", "OpenVidu", "XML", "XMPP", "Jibri",
                "HundredMSTerms", "MediaServer", "Datagrams", "Sandbox", "Streams", "Tokens",
                "Recording", "Catalogue", "Digests", "Signing", "ObjectStorage", "ChildProcesses",
                "ControlAPI", "Webhooks", "Workbench", log,
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ] + nio, exclude: ["Earlier"]),
    ]
)

// libFuzzer brings its own `main`, so the target is there for Tests/Fuzzing/run only.
if Context.environment["ROOMCAST_FUZZING"] != nil {
    package.products.append(.executable(name: "fuzz", targets: ["fuzz"]))
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "MediaKernel", "RTP", "ICE", "SDP", "HLS", "HOCON", "Recording", "XML", "XMPP",
                "Jitsi", "OpenVidu", "MediaClient", "RemoteRoom",
            ],
            path: "Tests/Fuzzing/Targets",
            swiftSettings: language + [.unsafeFlags(["-parse-as-library"])]))
}

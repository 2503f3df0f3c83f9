// Puts a room on air for some seconds, recorded, and downloads the MP4 as soon as it is ready.
//
//     swiftc record.swift && ./record ROOM [SECONDS]
//
// The room's people meet at http://localhost:8080/rooms/ROOM. README.md beside this file lists the
// variables that it reads, and the settings that the server needs. It needs no packages: the command
// `roomcast` makes its token, and `openssl` checks signatures, for which an application would take
// HMAC<SHA256> from swift-crypto.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#endif

let environment = ProcessInfo.processInfo.environment
let server = environment["SERVER"] ?? "http://localhost:8080"
let listen = environment["LISTEN"] ?? "127.0.0.1:9000"

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// What a command prints.
func output(of command: [String], input: Data = Data()) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let (into, from) = (Pipe(), Pipe())
    process.standardInput = into
    process.standardOutput = from
    try process.run()
    into.fileHandleForWriting.write(input)
    try into.fileHandleForWriting.close()
    let printed = from.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw Failure(description: "\(command[0]) failed")
    }
    return String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

func post(_ path: String, _ body: [String: Any] = [:]) async throws -> [String: Any] {
    var request = URLRequest(url: URL(string: server + path)!)
    request.httpMethod = "POST"
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
        throw Failure(description: String(decoding: data, as: UTF8.self))
    }
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
}

/// The receiver of webhooks: a socket that takes one request at a time.
struct Hooks {
    private let socket: Int32

    init(_ address: String) throws {
        let parts = address.split(separator: ":").map(String.init)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(parts[1])!.bigEndian
        name.sin_addr.s_addr = inet_addr(parts[0])
        signal(SIGPIPE, SIG_IGN)
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let bound = withUnsafeBytes(of: &name) {
            bind(
                socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                socklen_t($0.count))
        }
        guard bound == 0, Glibc.listen(socket, 8) == 0 else {
            throw Failure(description: "\(address) cannot be listened on")
        }
    }

    /// The data of the stream's event of this type.
    func wait(for type: String, of stream: String) throws -> [String: Any] {
        while true {
            guard let event = try next(), let data = event["data"] as? [String: Any],
                data["beam_id"] as? String == stream
            else { continue }
            if event["type"] as? String == type { return data }
            if event["type"] as? String == "hls.failure" {
                throw Failure(description: "the stream failed: \(data["error_message"] ?? "")")
            }
        }
    }

    /// The next request's event; nil if the server has not signed it.
    private func next() throws -> [String: Any]? {
        let connection = FileHandle(fileDescriptor: accept(socket, nil, nil), closeOnDealloc: true)
        var request = Data()
        let separator = Data("\r\n\r\n".utf8)
        var headers: [String: String] = [:]
        while true {
            let piece = connection.availableData
            guard !piece.isEmpty else { return nil }
            request += piece
            guard let blank = request.range(of: separator) else { continue }
            let head = String(decoding: request[..<blank.lowerBound], as: UTF8.self)
            for line in head.components(separatedBy: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            let body = request[blank.upperBound...]
            guard body.count >= Int(headers["content-length"] ?? "") ?? 0 else { continue }
            let isOurs = try isAuthentic(headers, body)
            let status = isOurs ? "200 OK" : "403 Forbidden"
            let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            // If the server has not waited for it, the event comes again.
            try? connection.write(contentsOf: Data(answer.utf8))
            return isOurs
                ? try JSONSerialization.jsonObject(with: body) as? [String: Any] : nil
        }
    }

    /// Whether the server has signed it, and that not long ago.
    private func isAuthentic(_ headers: [String: String], _ body: Data) throws -> Bool {
        guard let stamp = headers["x-roomcast-timestamp"], let seconds = Double(stamp),
            abs(seconds - Date().timeIntervalSince1970) < 300
        else { return false }
        let key = environment["ROOMCAST_WEBHOOKS_SECRET"] ?? ""
        let sum = try output(
            of: ["openssl", "dgst", "-sha256", "-hmac", key, "-r"],
            input: Data("\(stamp).".utf8) + body)
        return headers["x-roomcast-signature"] == "v1=\(sum.prefix(64))"
    }
}

func record(_ name: String, for seconds: Double) async throws {
    let hooks = try Hooks(listen)
    let room = try await post("/v2/rooms", ["name": name, "webhook": ["url": "http://\(listen)/"]])
    let started = try await post(
        "/v2/live-streams/room/\(room["id"]!)/start",
        ["recording": ["single_file_per_layer": true]])
    let stream = started["id"] as! String
    say("On air: \(try hooks.wait(for: "hls.started.success", of: stream)["url"]!)")
    try await Task.sleep(for: .seconds(seconds))
    _ = try await post("/v2/live-streams/\(stream)/stop")
    say("Stopped. The MP4 is being made.")

    let recorded = try hooks.wait(for: "hls.recording.success", of: stream)
    let files = recorded["recording_single_files"] as! [[String: Any]]
    // The link needs no token, and is valid for a week.
    let link = URL(string: files[0]["recording_presigned_url"] as! String)!
    let (download, _) = try await URLSession.shared.download(from: link)
    let place = URL(fileURLWithPath: "\(name).mp4")
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.moveItem(at: download, to: place)
    say("Downloaded \(name).mp4, \(recorded["duration"]!) s.")
}

/// At once, wherever it goes.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

let arguments = CommandLine.arguments
let token: String
do {
    guard arguments.count > 1 else { throw Failure(description: "usage: record ROOM [SECONDS]") }
    token = try output(of: [environment["ROOMCAST"] ?? "roomcast", "token", "management"])
    try await record(arguments[1], for: arguments.count > 2 ? Double(arguments[2]) ?? 10 : 10)
} catch {
    say("\(error)")
    exit(1)
}

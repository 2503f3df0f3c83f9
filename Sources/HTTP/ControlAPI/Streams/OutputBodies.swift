import MediaKernel
public import Streams

extension PushTarget {
    /// Checks the addresses of a start request.
    ///
    /// - Throws: a 400 that names the address by its place in the list.
    public static func checked(_ texts: [String]?) throws(APIError) -> [PushTarget] {
        let texts = texts ?? []
        guard texts.count <= targetsMaximum else {
            throw .badRequest("rtmp_urls are not valid", "at most \(targetsMaximum)")
        }
        var targets: [PushTarget] = []
        for (index, text) in texts.enumerated() {
            let target: PushTarget
            do {
                target = try PushTarget(text)
            } catch {
                throw .badRequest("rtmp_urls are not valid", "rtmp_urls.\(index) \(error)")
            }
            guard !targets.contains(target) else {
                throw .badRequest(
                    "rtmp_urls are not valid", "rtmp_urls.\(index) is there twice")
            }
            targets.append(target)
        }
        return targets
    }
}

/// The body of a request to push a stream on air to one more place.
struct OutputBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var url: String
    var layer: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, layer
    }

    func target() throws(APIError) -> PushTarget {
        do {
            return try PushTarget(url)
        } catch {
            throw .badRequest("output is not valid", "url \(error)")
        }
    }
}

/// An output in the control API: without its key.
struct StreamOutputBody: Encodable {
    var output: StreamOutput
    var report: PushReport
    var status: PushStatus?

    init(_ output: StreamOutput, of stream: LiveStream) {
        self.output = output
        report = stream.pushReport(of: output)
        status = stream.health.outputs[output.id]
    }

    enum CodingKeys: String, CodingKey {
        case id, url, layer, state, reason, since, bytes, reconnects
        case startedAt = "started_at"
        case framesDropped = "frames_dropped"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(output.id, forKey: .id)
        try container.encode(output.shown, forKey: .url)
        try container.encode(output.layer, forKey: .layer)
        try container.encode(report.state.rawValue, forKey: .state)
        try container.encode(report.reason, forKey: .reason)
        try container.encode(status?.since.description, forKey: .since)
        try container.encode(status?.startedAt?.description, forKey: .startedAt)
        try container.encode(report.bytes, forKey: .bytes)
        try container.encode(report.framesDropped, forKey: .framesDropped)
        try container.encode(report.reconnects, forKey: .reconnects)
    }
}

extension LiveStream {
    var outputBodies: [StreamOutputBody] {
        plan.outputs.map { StreamOutputBody($0, of: self) }
    }
}

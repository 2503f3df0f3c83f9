public import Rooms

/// 100ms' rules for the values in a template (100ms-docs `policy/create-template-via-api.mdx`).
public enum TemplateRules {
    /// The range of `settings.roomState.messageInterval` in seconds, in steps of its lower bound.
    private static let intervals = 5...3600

    /// All faults at once, to help repair a file; each is a sentence with the path of its field.
    public static func faults(of roles: [Role], roomState: RoomStateSettings?) -> [String] {
        var faults = roles.flatMap { RoleInspection($0).faults }
        let (least, most) = (intervals.lowerBound, intervals.upperBound)
        if let interval = roomState?.interval,
            !intervals.contains(interval) || !interval.isMultiple(of: least)
        {
            faults.append(
                "'settings.roomState.messageInterval' is \(interval); "
                    + "multiples of \(least) from \(least) to \(most) are allowed")
        }
        return faults
    }
}

/// Checks one role.
private struct RoleInspection {
    /// Each with its path in a policy file: `'roles.host.publishParams.video.frameRate' is 90; …`.
    private(set) var faults: [String] = []
    private let path: String

    init(_ role: Role) {
        path = "roles.\(role.name)"
        check(role.priority, 1...5, "priority")
        if role.maxPeerCount < -1 {
            note("maxPeerCount", "is \(role.maxPeerCount); -1 and more are allowed")
        }
        check(role.publishParams)
        check(role.subscribeParams)
    }

    private mutating func check(_ publish: PublishParameters) {
        if let audio = publish.audio {
            check(audio.bitRate, 16...128, "publishParams.audio.bitRate")
            check(audio.codec, ["opus"], "publishParams.audio.codec")
        }
        if let video = publish.video {
            let field = "publishParams.video"
            check(video.bitRate, 30...2000, "\(field).bitRate")
            check(video, widths: 50...1920, heights: 50...1080, field)
        }
        if let screen = publish.screen {
            let field = "publishParams.screen"
            // 100ms sets no upper limit.
            check(screen.bitRate, 500...20_000, "\(field).bitRate")
            check(screen, widths: 480...1920, heights: 270...1080, field)
        }
        guard let simulcast = publish.simulcast else { return }
        check(simulcast.video.layers ?? [], "publishParams.simulcast.video.layers")
        check(simulcast.screen.layers ?? [], "publishParams.simulcast.screen.layers")
    }

    private mutating func check(
        _ video: VideoParameters, widths: ClosedRange<Int>, heights: ClosedRange<Int>,
        _ field: String
    ) {
        check(video.codec, ["vp8", "vp9", "h264", "av1"], "\(field).codec")
        check(video.frameRate, 1...30, "\(field).frameRate")
        check(video.width, widths, "\(field).width")
        check(video.height, heights, "\(field).height")
    }

    /// Best first: `f` is the whole picture, and each layer is smaller than the previous one.
    private mutating func check(_ layers: [SimulcastLayer], _ field: String) {
        let names = HundredMSTerms.rids
        if layers.count > names.count {
            note(field, "has \(layers.count) layers; at most \(names.count) are allowed")
        }
        var rank = -1
        var scale: Double?
        for (index, layer) in layers.prefix(names.count).enumerated() {
            let field = "\(field).\(index)"
            if let maximum = layer.maxBitrate { check(maximum, 0...2000, "\(field).maxBitrate") }
            if let maximum = layer.maxFramerate { check(maximum, 1...30, "\(field).maxFramerate") }
            let allowed = index == 0 ? names[..<1] : names[(rank + 1)...]
            if !allowed.contains(layer.rid) {
                note(
                    "\(field).rid",
                    "is '\(layer.rid)'; "
                        + (allowed.isEmpty
                            ? "nothing is allowed behind 'q'"
                            : "\(allowed.joined(separator: " or ")) is allowed"))
            }
            rank = max(rank, names.firstIndex(of: layer.rid) ?? -1)
            let own = layer.scaleResolutionDownBy ?? (index == 0 ? 1 : 0)
            if index == 0, own != 1 {
                note("\(field).scaleResolutionDownBy", "is \(own); the first layer has 1")
            } else if let above = scale, !(own > above && own <= 12) {
                note(
                    "\(field).scaleResolutionDownBy",
                    "is \(own); more than \(above) and at most 12 is allowed")
            }
            scale = own
        }
    }

    private mutating func check(_ subscribe: SubscribeParameters) {
        // 100ms sets no upper limit.
        check(subscribe.maxSubsBitRate, 1...1_000_000, "subscribeParams.maxSubsBitRate")
        guard let degradation = subscribe.subscribeDegradation else { return }
        let field = "subscribeParams.subscribeDegradation"
        check(degradation.packetLossThreshold, 1...100, "\(field).packetLossThreshold")
        check(degradation.degradeGracePeriodSeconds, 1...10, "\(field).degradeGracePeriodSeconds")
        check(degradation.recoverGracePeriodSeconds, 1...10, "\(field).recoverGracePeriodSeconds")
    }

    private mutating func check(_ value: Int, _ range: ClosedRange<Int>, _ field: String) {
        guard !range.contains(value) else { return }
        note(field, "is \(value); \(range.lowerBound) to \(range.upperBound) are allowed")
    }

    private mutating func check(_ value: String, _ words: [String], _ field: String) {
        guard !words.contains(value) else { return }
        note(field, "is '\(value.prefix(32))'; \(words.joined(separator: ", ")) is allowed")
    }

    private mutating func note(_ field: String, _ reason: String) {
        faults.append("'\(path).\(field)' \(reason)")
    }
}

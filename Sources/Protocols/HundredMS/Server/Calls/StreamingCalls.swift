internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests to start and stop streams of the room (`docs/PROTOCOL.md` section 5).
struct StreamingCalls {
    let peer: PeerID
    let authority: String

    func startHLS(
        _ params: HLSStartParameters, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        try checkAsking([.hlsStreaming], in: host)
        let variants = try checked(params.variants)
        do {
            try await host.streaming.start(
                room: host.room.id, variants: variants, recording: params.hlsRecording,
                layout: params.layout, startedBy: peer, authority: authority)
        } catch {
            throw streamingError(error, "start", in: host)
        }
        return .empty
    }

    func stopHLS(
        _ params: HLSStopParameters, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        try checkAsking([.hlsStreaming], in: host)
        let variants = try checked(params.variants)
        do {
            try await host.streaming.stop(room: host.room.id, variants: variants, stoppedBy: peer)
        } catch {
            throw streamingError(error, "stop", in: host)
        }
        return .empty
    }

    func addTimedMetadata(
        _ params: HLSTimedMetadataParameters, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        try checkAsking([.hlsStreaming], in: host)
        let count = params.metadata.count
        guard (1...SignallingLimits.timedMetadata).contains(count) else {
            throw .badParameter(
                "metadata_objs", .entries(count, allowed: 1...SignallingLimits.timedMetadata))
        }
        do {
            try await host.streaming.addTimedMetadata(
                params.metadata, room: host.room.id, addedBy: peer)
        } catch {
            throw streamingError(error, "take timed metadata", in: host)
        }
        return .empty
    }

    /// Starts a recording without a live stream, pushes to other servers, or both: the request
    /// succeeds as a whole or not at all.
    func startRecording(
        _ params: RTMPStartParameters, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let isRecorded = params.record ?? false
        let isSent = !(params.rtmpURLs ?? []).isEmpty
        try checkAsking(
            (isRecorded ? [.browserRecording] : []) + (isSent ? [.rtmpStreaming] : []), in: host)
        guard isRecorded || isSent else {
            throw .badParameter("record", .neededWithout("rtmp_urls"))
        }
        if let bytes = params.meetingURL?.utf8.count, bytes > SignallingLimits.meetingURLBytes {
            throw .badParameter(
                "meeting_url", .tooLong(bytes: bytes, maximum: SignallingLimits.meetingURLBytes))
        }
        do {
            try await host.streaming.startRecording(
                room: host.room.id,
                RecordingRequest(
                    meetingURL: params.meetingURL, resolution: params.resolution,
                    pushes: params.rtmpURLs ?? [], isRecorded: isRecorded),
                startedBy: peer, authority: authority)
        } catch {
            let refusal = streamingError(error, "start", in: host)
            if isSent, case .streaming(let error) = refusal {
                host.room.streamingChanged(.rtmp(.failed(error.failure, startedBy: peer)))
            }
            throw refusal
        }
        return .empty
    }

    func stopRecording(in host: isolated RoomHost) async throws(SignallingError)
        -> Reply
    {
        let isRecorded = host.room.streaming.recording?.state.isOn == true
        let isSent = host.room.streaming.rtmp.isRunning
        // Both end together, so a peer must be allowed to end what there is.
        try checkAsking(
            (isRecorded || !isSent ? [.browserRecording] : []) + (isSent ? [.rtmpStreaming] : []),
            in: host)
        do {
            try await host.streaming.stopRecording(room: host.room.id, stoppedBy: peer)
        } catch {
            throw streamingError(error, "stop", in: host)
        }
        return .empty
    }

    private func checkAsking(
        _ permissions: [Permission], in host: isolated RoomHost
    ) throws(SignallingError) {
        try ruled { () throws(RoomError) in
            try host.room.fanOutRequested(permissions, by: peer, at: host.clock.now())
        }
    }

    private func checked(
        _ variants: [HLSVariantRequest]?
    ) throws(SignallingError) -> [HLSVariantRequest] {
        let variants = variants ?? []
        guard variants.count <= RoomLimits.variants else {
            throw .badParameter(
                "variants", .entries(variants.count, allowed: 0...RoomLimits.variants))
        }
        for (index, variant) in variants.enumerated() {
            let limits = [
                ("meeting_url", variant.meetingURL, SignallingLimits.meetingURLBytes),
                ("metadata", variant.metadata, RoomLimits.metadataBytes),
            ]
            for (field, value, maximum) in limits {
                guard let count = value?.utf8.count, count > maximum else { continue }
                throw .badParameter(
                    "variants.\(index).\(field)",
                    .tooLong(bytes: count, maximum: maximum))
            }
        }
        return variants
    }

    private func streamingError(_ error: any Error, _ verb: String, in host: isolated RoomHost)
        -> SignallingError
    {
        if let error = error as? LiveStreamingError { return .streaming(error) }
        host.logger.error("stream did not \(verb)", metadata: ["reason": "\(error)"])
        return .streaming(
            LiveStreamingError(.broken, message: "the stream could not \(verb)"))
    }
}

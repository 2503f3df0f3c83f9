internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import SDP

/// Streams: each has a connection of its own.
extension OpenViduSessions {
    // MARK: - Publishing

    func publish(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        guard members[peer]?.publication == nil else { throw .alreadyStreaming }
        let sdp = try parameters.text("sdpOffer", maximum: OpenViduLimits.sdpBytes)
        let terms = try StreamTerms(parameters)
        let isAudioActive = try parameters.flag("audioActive") ?? true
        let isVideoActive = try parameters.flag("videoActive") ?? true
        try checkOffering(peer, in: host)
        var offer = try await Self.description(in: sdp)
        let hasVideo = offer.media.contains { $0.kind == .video && $0.direction.sends }
        let stream =
            roster.makeIdentifier("str_\(terms.letters(hasVideo: hasVideo))_", 4)
            + "_\(peer.rawValue)"
        let tracks = OfferedTracks.name(
            in: &offer, of: stream, source: terms.source == "SCREEN" ? "screen" : "regular",
            isMuted: { $0 == .audio ? !isAudioActive : !isVideoActive })
        try check(tracks, by: peer, in: host)
        let key = roster.makeKey(stream)
        let answer = try await connect(offer, on: key, of: peer, in: host)
        // The peer may have been removed, and a second call may have come, meanwhile.
        guard members[peer] != nil, members[peer]?.publication == nil else {
            host.closeConnection(key, of: peer)
            throw .alreadyStreaming
        }
        members[peer]?.publication = Publication(stream: stream, connection: key)
        roster.announce(stream, terms)
        do throws(RoomError) {
            try host.room.tracksPublished(tracks, by: peer, wall: host.clock.wall())
        } catch {
            _ = try? unpublish(peer, in: host)
            throw OpenViduError(error)
        }
        return [
            "sdpAnswer": .string(answer.rendered()), "id": .string(stream),
            "createdAt": .integer(host.clock.wall().milliseconds),
        ]
    }

    func unpublish(
        _ peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        guard let publication = members[peer]?.publication else {
            throw .notStreaming(peer.rawValue)
        }
        members[peer]?.publication = nil
        members[peer]?.mutedByOthers = []
        // A stream is all that such a peer publishes. The room refuses only an unknown peer.
        _ = try? host.room.tracksPublished([], by: peer, wall: host.clock.wall())
        roster.withdraw(publication.stream)
        host.closeConnection(publication.connection, of: peer)
        return [:]
    }

    private func check(
        _ tracks: [Track], by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) {
        guard !tracks.isEmpty else {
            throw .description("the offer has no audio and no video that is sent")
        }
        guard tracks.count <= 2, Set(tracks.map(\.kind)).count == tracks.count else {
            throw .description("a stream has at most one audio and one video")
        }
        // A recorder's tracks would tell of it.
        let publisher = host.room.peers[peer].flatMap { $0.isHidden ? nil : $0 }
        let role = publisher.flatMap { host.room.policy.role($0.role) }
        let allowed = role?.isHidden == false ? role?.publishParams.allowed ?? [] : []
        for track in tracks where !allowed.contains(track.publishKind) {
            throw .unauthorized("the role may not publish \(track.publishKind.rawValue)")
        }
    }

    // MARK: - Receiving

    /// The client will answer our offer.
    func prepareViewing(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        let (_, stream) = try stream(
            named: try parameters.identifier("sender"), for: peer, in: host)
        try checkReading(peer, in: host)
        let key = beginViewing(stream, by: peer, in: host)
        var kinds: [MediaSection.Kind] = []
        if stream.audio != nil { kinds.append(.audio) }
        if stream.video != nil { kinds.append(.video) }
        let sdp: String
        do throws(RoomHostError) {
            let (offer, isFirst) = try await host.makeOffer(kinds, on: key, to: peer)
            if isFirst { await host.releaseHeld(for: peer) }
            sdp = offer.rendered()
        } catch {
            stopViewing(stream.id, on: key, by: peer, in: host)
            throw OpenViduError(error)
        }
        try checkViewing(stream.id, on: key, by: peer, in: host)
        return ["sdpOffer": .string(sdp)]
    }

    /// The client offers, or answers our offer.
    func view(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        let (_, stream) = try stream(
            named: try parameters.identifier("sender"), for: peer, in: host)
        try checkReading(peer, in: host)
        if let sdp = try parameters.optionalText("sdpAnswer", maximum: OpenViduLimits.sdpBytes) {
            try await accept(sdp, of: stream.id, by: peer, in: host)
            return [:]
        }
        let sdp = try parameters.text("sdpOffer", maximum: OpenViduLimits.sdpBytes)
        return ["sdpAnswer": .string(try await view(stream, by: sdp, of: peer, in: host))]
    }

    private func accept(
        _ sdp: String, of stream: String, by peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) {
        guard let key = members[peer]?.viewed[stream]?.connection else {
            throw .description("nothing was offered of '\(stream)'")
        }
        let answer = try await Self.description(in: sdp)
        do throws(RoomHostError) {
            try await host.answer(answer, on: key, from: peer)
        } catch {
            throw OpenViduError(error)
        }
    }

    private func view(
        _ stream: SharedStream, by sdp: String, of peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> String {
        let offer = try await Self.description(in: sdp)
        // The stream may have ended while the description was parsed.
        let (_, stream) = try self.stream(named: stream.id, for: peer, in: host)
        let key = beginViewing(stream, by: peer, in: host)
        let answer: SessionDescription
        do throws(OpenViduError) {
            answer = try await connect(offer, on: key, of: peer, in: host)
        } catch {
            stopViewing(stream.id, on: key, by: peer, in: host)
            throw error
        }
        try checkViewing(stream.id, on: key, by: peer, in: host)
        return answer.rendered()
    }

    /// The stream may have ended, and the client may have connected it anew, while the media plane
    /// was at work on this connection.
    private func checkViewing(
        _ stream: String, on key: ConnectionKey, by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) {
        guard members[peer]?.viewed[stream]?.connection == key else {
            host.closeConnection(key, of: peer)
            throw .notStreaming(stream)
        }
    }

    /// Ends the viewing on a connection, unless another one carries the stream by now.
    private func stopViewing(
        _ stream: String, on key: ConnectionKey, by peer: PeerID, in host: isolated RoomHost
    ) {
        guard members[peer]?.viewed[stream]?.connection == key else { return }
        stopViewing(stream, by: peer, in: host)
    }

    func stopViewing(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        let id = try parameters.identifier("sender")
        // Its publisher may be gone by now.
        if let (_, stream) = try? stream(named: id, for: peer, in: host) {
            stopViewing(stream.id, by: peer, in: host)
        }
        return [:]
    }

    /// The client's connection that carries the stream from now on; an earlier one is closed.
    private func beginViewing(
        _ stream: SharedStream, by peer: PeerID, in host: isolated RoomHost
    ) -> ConnectionKey {
        if let old = members[peer]?.viewed[stream.id] {
            host.closeConnection(old.connection, of: peer)
        }
        let key = roster.makeKey(stream.id)
        members[peer]?.viewed[stream.id] = Viewed(
            connection: key, tracks: [stream.audio, stream.video].compactMap(\.self))
        chooseRoutes(of: peer, in: host)
        scribe.viewBegan(stream, by: peer, of: self, in: host)
        return key
    }

    /// - Parameter stream: nil for a peer without one.
    func stopViewing(_ stream: String?, by peer: PeerID, in host: isolated RoomHost) {
        guard let stream, let viewed = members[peer]?.viewed.removeValue(forKey: stream) else {
            return
        }
        chooseRoutes(of: peer, in: host)
        scribe.viewEnded(stream, by: peer, in: host)
        host.closeConnection(viewed.connection, of: peer)
    }

    private func chooseRoutes(of peer: PeerID, in host: isolated RoomHost) {
        var routes: [TrackID: ConnectionKey] = [:]
        for viewed in members[peer]?.viewed.values.map({ $0 }) ?? [] {
            for track in viewed.tracks { routes[track] = viewed.connection }
        }
        host.setView(.chosen(routes), of: peer)
    }

    // MARK: - Both

    func reconnect(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        let id = try parameters.identifier("stream")
        let sdp = try parameters.text("sdpString", maximum: OpenViduLimits.sdpBytes)
        guard let publication = members[peer]?.publication, publication.stream == id else {
            let (_, stream) = try stream(named: id, for: peer, in: host)
            try checkReading(peer, in: host)
            if try parameters.flag("forciblyReconnect") ?? false {
                try await accept(sdp, of: stream.id, by: peer, in: host)
                return [:]
            }
            return ["sdpAnswer": .string(try await view(stream, by: sdp, of: peer, in: host))]
        }
        try checkOffering(peer, in: host)
        var offer = try await Self.description(in: sdp)
        let tracks = OfferedTracks.name(
            in: &offer, of: id, source: "regular", isMuted: { _ in false })
        let published = host.room.peers[peer]?.tracks.map(\.publishedID) ?? []
        guard tracks.map(\.publishedID) == published else {
            throw .description("the offer has other tracks than the stream")
        }
        let key = roster.makeKey(id)
        let answer = try await connect(offer, on: key, of: peer, in: host)
        // A moderator may have ended the stream meanwhile.
        guard let current = members[peer]?.publication, current.stream == id else {
            host.closeConnection(key, of: peer)
            throw .notStreaming(id)
        }
        host.closeConnection(current.connection, of: peer)
        members[peer]?.publication?.connection = key
        return [
            "sdpAnswer": .string(answer.rendered()), "id": .string(id),
            "createdAt": .integer(host.clock.wall().milliseconds),
        ]
    }

    func trickle(
        _ parameters: CallParameters, from peer: PeerID, in host: isolated RoomHost
    ) async throws(OpenViduError) -> [String: JSONValue] {
        let candidate = try parameters.text("candidate", maximum: OpenViduLimits.candidateBytes)
        let endpoint = try parameters.identifier("endpointName")
        let key: ConnectionKey?
        if endpoint == peer.rawValue || endpoint == members[peer]?.publication?.stream {
            key = members[peer]?.publication?.connection
        } else {
            let stream = try? stream(named: endpoint, for: peer, in: host).stream
            key = stream.flatMap { members[peer]?.viewed[$0.id]?.connection }
        }
        // A candidate may come before its description, or after its stream has ended. The
        // connection finds the client without it.
        guard let key else { return [:] }
        try? await host.trickle(candidate, on: key, from: peer)
        return [:]
    }

    func changeProperty(
        _ parameters: CallParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> [String: JSONValue] {
        let id = try parameters.identifier("streamId")
        guard members[peer]?.publication?.stream == id else { throw .notStreaming(id) }
        let kind: TrackKind
        switch try parameters.text("property", maximum: 64) {
        case "audioActive": kind = .audio
        case "videoActive": kind = .video
        case "videoDimensions":
            try changeDimensions(parameters, of: id, by: peer, in: host)
            return [:]
        default:
            // A replaced track, for example, is the same for others.
            return [:]
        }
        guard let isActive = try parameters.flag("newValue") else {
            throw .badParameter("newValue", "is missing")
        }
        let tracks = host.room.peers[peer]?.tracks.filter { $0.kind == kind } ?? []
        let change = TrackChange(isMuted: !isActive)
        let changes = Dictionary(tracks.map { ($0.publishedID, change) }) { first, _ in first }
        do throws(RoomError) {
            try host.room.tracksUpdated(changes, by: peer, at: host.clock.now())
        } catch {
            throw OpenViduError(error)
        }
        for track in tracks { members[peer]?.mutedByOthers.remove(track.publishedID) }
        host.mutesChanged(of: peer)
        return [:]
    }

    private func changeDimensions(
        _ parameters: CallParameters, of stream: String, by peer: PeerID,
        in host: isolated RoomHost
    ) throws(OpenViduError) {
        let text: String
        switch parameters.value("newValue") {
        case .string(let given): text = given
        case .object(let members): text = OpenViduFrame.text(members)
        default: throw .badParameter("newValue", "must hold a width and a height")
        }
        guard var terms = roster.terms(of: stream),
            let dimensions = StreamTerms.dimensions(in: text)
        else { throw .badParameter("newValue", "must hold a width and a height") }
        guard terms.dimensions != dimensions else { return }
        try checkOffering(peer, in: host)
        terms.dimensions = dimensions
        let reason = try? parameters.optionalText("reason", maximum: 64)
        terms.resizing =
            reason.flatMap { StreamTerms.resizings.contains($0) ? $0 : nil }
            ?? StreamTerms().resizing
        roster.announce(stream, terms)
        refresh(peer, for: members.keys.sorted(), in: host)
    }

    // MARK: - Names and checks

    /// A stream that a client may receive.
    ///
    /// - Parameter name: the id of a stream or of a connection; old apps have `<connection>_CAMERA`,
    ///   or the participant's name in its place.
    func stream(
        named name: String, for peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) -> (owner: PeerID, stream: SharedStream) {
        let found = OldStreamName.candidates(for: name).lazy.compactMap { candidate in
            self.roster.owner(of: candidate).map { (id: candidate, owner: $0) }
        }.first
        let id: String
        let owner: PeerID
        if let found { (id, owner) = found } else { (id, owner) = try namesake(name, in: host) }
        guard owner != peer else { throw .notStreaming(name) }
        let shown = participants(of: owner, shownTo: peer, in: host)
        guard !shown.isEmpty else { throw .unknownUser(name) }
        let stream =
            shown.first { $0.stream?.id == id }?.stream
            ?? shown.first { $0.id == id && $0.stream != nil }?.stream
        guard let stream else {
            guard id != name || shown.contains(where: { $0.id == id }) else {
                throw .unknownUser(name)
            }
            throw .notStreaming(name)
        }
        return (owner, stream)
    }

    private func namesake(
        _ name: String, in host: isolated RoomHost
    ) throws(OpenViduError) -> (id: String, owner: PeerID) {
        let names = OldStreamName.candidates(for: name)
        guard let peer = host.room.peers.visible(named: names) else {
            throw .unknownUser(name)
        }
        return (roster.participants(of: peer, at: host.clock.wall())[0].id, peer.id)
    }

    private func connect(
        _ offer: SessionDescription, on key: ConnectionKey, of peer: PeerID,
        in host: isolated RoomHost
    ) async throws(OpenViduError) -> SessionDescription {
        do throws(RoomHostError) {
            let (answer, isFirst) = try await host.offer(offer, on: key, from: peer)
            if isFirst { await host.releaseHeld(for: peer) }
            return answer
        } catch {
            throw OpenViduError(error)
        }
    }

    private func checkOffering(
        _ peer: PeerID, in host: isolated RoomHost
    ) throws(OpenViduError) {
        do throws(RoomHostError) {
            try host.checkOffering(by: peer)
        } catch {
            throw OpenViduError(error)
        }
    }

    private func checkReading(_ peer: PeerID, in host: isolated RoomHost) throws(OpenViduError) {
        do throws(RoomError) {
            try host.room.readAsked(by: peer, at: host.clock.now())
        } catch {
            throw OpenViduError(error)
        }
    }

    /// Descriptions are parsed outside the room's isolation, so that other peers need not wait.
    private static func description(
        in sdp: String
    ) async throws(OpenViduError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(OldDescription.bare(sdp))
        } catch {
            throw .description("malformed session description: \(error)")
        }
    }
}

/// The names of streams in apps of 2018.
enum OldStreamName {
    private static let endings = ["_CAMERA", "_SCREEN", "_MICRO", "_CUSTOM", "_webcam"]

    /// What a name may mean, most likely first.
    static func candidates(for name: String) -> [String] {
        [name]
            + endings.filter { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
    }
}

/// The descriptions of apps of 2018.
enum OldDescription {
    /// Without what stands before it: those apps send what Apple's `RTCSessionDescription` prints of
    /// itself, `RTCSessionDescription:`, then `offer`, each on a line of its own.
    static func bare(_ sdp: String) -> String {
        var rest = Substring(sdp)
        while !rest.hasPrefix("v="), let end = rest.firstIndex(where: \.isNewline) {
            rest = rest[rest.index(after: end)...]
        }
        return rest.hasPrefix("v=") ? String(rest) : sdp
    }
}

import HLS
import MediaKernel
import Stage

/// The director's input: what each command changes.
extension Director {
    func handle(_ command: Command) {
        switch command {
        case .peers(let peers):
            scene.show(peers)
            sources.show(peers)
        case .mediaBegan(let track, let codec):
            sources.mediaBegan(track, codec)
            scene.tracksChanged()
        case .mediaEnded(let track):
            sources.mediaEnded(track)
            load.decoding.forget(track)
            tellVideosLeftOut()
            scene.tracksChanged()
        case .frame(let frame, let track):
            if let video = sources.video(track) {
                receivePicture(frame, of: track, video)
            } else if let soundFrom, frame.arrival < soundFrom {
                sources.passOver(frame, of: track)
            } else if let heard = sources.receive(frame, of: track) {
                scene.heard(
                    heard.peer, level: heard.level, lasting: heard.length, at: frame.arrival)
            }
        case .audioLost(let track, let timestamp): sources.audioLost(track, from: timestamp)
        case .senderReport(let track, let rtpTimestamp, let ntp, let now):
            sources.senderReport(track, rtpTimestamp: rtpTimestamp, ntp: ntp, at: now)
        case .layout(let layout): scene.setLayout(layout)
        case .roles(let roles): sources.setRoles(roles)
        case .recordingPaused(let isPaused): setRecording(isPaused: isPaused)
        case .picture(let picture, let address): scene.setPicture(picture, at: address)
        case .preview(let length): preview.wanted(for: length, at: now())
        case .start:
            if case .waiting = phase { phase = .warmingUp(since: now()) }
        case .finish:
            finish()
        }
    }

    private func receivePicture(
        _ frame: IncomingFrame, of track: TrackID, _ video: VideoSource
    ) {
        // A muted video is decoded, so that it is ready when it is unmuted, unless CPU is short.
        guard !scene.hides(track), !(video.isMuted && load.pictures.isExhausted) else {
            return sources.passOver(frame, of: track)
        }
        let begin = now()
        // Fewer pictures per second and fewer layers come first: they cost viewers less than a
        // participant.
        let verdict = load.decoding.judge(
            track, isKeyframe: frame.isKeyframe, isLastResort: load.pictures.isExhausted, at: begin,
            importance: scene.importance(of:))
        tellVideosLeftOut()
        switch verdict {
        case .decode:
            _ = sources.receive(frame, of: track)
            load.decoding.decoded(in: now() - begin)
            return
        case .leaveOut: break
        case .leaveOutAndAsk: emit(.keyframeNeeded(track))
        }
        sources.passOver(frame, of: track)
    }

    func tellVideosLeftOut() {
        if let count = load.videosLeftOutChange() { emit(.videosLeftOut(count)) }
    }

    /// Words spoken before recording is resumed are heard one playout delay later, and must not be
    /// recorded.
    private func setRecording(isPaused: Bool) {
        switch phase {
        case .waiting, .warmingUp:
            if isPaused { pauses.pause(from: 0) } else { pauses.resume(from: 0) }
        case .live(let clock, let next), .finishing(let clock, let next, _):
            guard !isPaused else { return pauses.pause(from: next) }
            let last = clock.frame(at: now() + sources.longestDelay)
            pauses.resume(from: max(next, last + 1))
        }
    }

    private func finish() {
        switch phase {
        case .waiting, .warmingUp:
            inbox.close()
        case .live(let clock, let next):
            // Words spoken now will be heard one playout delay from now.
            let last = clock.frame(at: now() + sources.longestDelay)
            phase = .finishing(clock, next: next, end: wholeEnd(max(next, last + 1)))
        case .finishing:
            break
        }
    }

    /// The fewest pictures of a segment. Players and probes misidentify a file of one or two.
    static let segmentPicturesMinimum: Int64 = 10

    /// The end of the stream, moved to a later frame if the last segment would be too short.
    private func wholeEnd(_ end: Int64) -> Int64 {
        let first = planner.firstFrame(ofSegment: planner.segmentIndex(ofFrame: max(0, end - 1)))
        let least = min(Self.segmentPicturesMinimum, Int64(planner.framesPerSegment))
        return max(end, first + least)
    }
}

extension Mailbox<Director.Command> {
    /// Returns false when there is no room; pictures are refused earlier than sound.
    func offer(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool) -> Bool {
        let limit = frame.isRaw ? Director.rawPicturesBelow : Director.picturesBelow
        return offer(.frame(frame, track), below: isVideo ? limit : .max)
    }
}

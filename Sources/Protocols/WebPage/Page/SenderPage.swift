import MediaKernel

/// Our own documents in the browser: the sender, which captures the page's tab and sends it to the
/// bot, and the stage, which a tab shows when its capture begins.
///
/// Nobody serves them; their requests are answered over DevTools. The name is reserved (RFC 6761
/// sect. 6.4), and `https` makes the sender a secure context, which a capture needs.
enum SenderPage {
    static let origin = "https://roomcast.invalid"
    static let senderURL = "\(origin)/sender"
    static let stageURL = "\(origin)/stage"

    static func body(of url: String, stageKey: String) -> String {
        url == senderURL
            ? "<!doctype html><title>sender</title><script>\(script)</script>"
            : "<!doctype html><title>\(BrowserProgram.stageTitle(stageKey))</title>"
                + "<style>body{background:#16181f}</style>"
    }

    /// `capture` replaces what is sent, `offer` and `answer` connect.
    ///
    /// "detail": a page is text, and a frame a second comes while nothing changes. The answer's
    /// parameters are for the browser's encoders: without them it would begin with a blurred
    /// picture, as for a slow network, and send mono.
    private static let script = """
        const senders = {};
        let stream, pc;
        async function capture(o) {
          const fresh = await navigator.mediaDevices.getDisplayMedia({
            video: o.video && {width: o.width, height: o.height, frameRate: o.rate, cursor: 'never'},
            audio: {echoCancellation: false, autoGainControl: false, noiseSuppression: false,
              suppressLocalAudioPlayback: false, channelCount: 2},
          });
          for (const t of fresh.getVideoTracks()) t.contentHint = 'detail';
          for (const t of fresh.getAudioTracks()) t.contentHint = 'music';
          if (pc) for (const t of fresh.getTracks()) await senders[t.kind]?.replaceTrack(t);
          for (const t of stream?.getTracks() ?? []) t.stop();
          stream = fresh;
          return fresh.getTracks().map(t => t.kind).sort().join();
        }
        async function offer(o) {
          pc = new RTCPeerConnection();
          for (const t of stream.getTracks()) {
            const video = t.kind == 'video';
            if (video && !o.video) continue;
            const line = pc.addTransceiver(t, {direction: 'sendonly', streams: [stream],
              sendEncodings: [video ? {maxBitrate: o.bitrate, maxFramerate: o.rate}
                : {maxBitrate: 192000}]});
            senders[t.kind] = line.sender;
            if (video) line.setCodecPreferences(RTCRtpSender.getCapabilities('video').codecs
              .filter(c => ['video/VP8', 'video/rtx'].includes(c.mimeType)));
          }
          await pc.setLocalDescription();
          if (pc.iceGatheringState != 'complete') await new Promise(done => {
            pc.onicegatheringstatechange = () => pc.iceGatheringState == 'complete' && done();
            setTimeout(done, 3000);
          });
          return pc.localDescription.sdp;
        }
        async function answer(o) {
          let sdp = o.sdp;
          const extend = (name, more) => {
            const number = sdp.match(new RegExp('a=rtpmap:(\\\\d+) ' + name + '/', 'i'))?.[1];
            if (!number) return;
            const line = new RegExp('(a=fmtp:' + number + ' [^\\\\r\\\\n]*)');
            sdp = line.test(sdp) ? sdp.replace(line, '$1;' + more)
              : sdp.replace(new RegExp('(a=rtpmap:' + number + ' [^\\\\r\\\\n]*)'),
                '$1\\r\\na=fmtp:' + number + ' ' + more);
          };
          const k = Math.round(o.bitrate / 1000);
          extend('VP8', 'x-google-start-bitrate=' + Math.round(k * 0.6)
            + ';x-google-min-bitrate=' + Math.round(k * 0.3) + ';x-google-max-bitrate=' + k);
          extend('opus', 'stereo=1;sprop-stereo=1;maxaveragebitrate=192000');
          await pc.setRemoteDescription({type: 'answer', sdp});
          if (senders.video) {
            const p = senders.video.getParameters();
            p.degradationPreference = 'maintain-resolution';
            await senders.video.setParameters(p);
          }
        }
        """
}

import MediaKernel

/// Our own documents in the browser: the sender, which captures the page's tab, writes its pictures
/// into a file and sends its sound to the bot, and the stage, which a tab shows when its capture
/// begins.
///
/// Nobody serves them; their requests are answered over DevTools. The name is reserved (RFC 6761
/// sect. 6.4), and `https` makes the sender a secure context, which a capture needs.
enum SenderPage {
    static let origin = "https://roomcast.invalid"
    static let senderURL = "\(origin)/sender"
    static let stageURL = "\(origin)/stage"

    static func body(of url: String, stageKey: String, ring: PictureRing) -> String {
        url == senderURL
            ? "<!doctype html><title>sender</title><script>\(script)\(constants(stageKey, ring))"
                + "</script>"
            : "<!doctype html><title>\(BrowserProgram.stageTitle(stageKey))</title>"
                + "<style>body{background:#16181f}</style>"
    }

    private static func constants(_ key: String, _ ring: PictureRing) -> String {
        """
        const ring = {title: '\(PictureRing.magic)\(key)\\0', width: \(ring.width),
          height: \(ring.height), slots: \(PictureRing.slots), slotBytes: \(ring.slotBytes),
          fileBytes: \(ring.fileBytes), pageBytes: \(PictureRing.pageBytes),
          newest: \(PictureRing.newestOffset), pixels: \(PictureRing.pixelsOffset),
          tail: \(PictureRing.tailBytes), kind: \(PictureRing.kindI420)};
        """
    }

    /// `capture` replaces what is sent, `offer` and `answer` connect.
    ///
    /// "detail": a page is text. The answer's parameters are for the browser's encoder: without
    /// them it would send mono.
    private static let script = """
        let stream, pc, sound, writer;
        async function capture(o) {
          const fresh = await navigator.mediaDevices.getDisplayMedia({
            video: o.video && {width: o.width, height: o.height, frameRate: o.rate, cursor: 'never'},
            audio: {echoCancellation: false, autoGainControl: false, noiseSuppression: false,
              suppressLocalAudioPlayback: false, channelCount: 2},
          });
          for (const t of fresh.getAudioTracks()) {
            t.contentHint = 'music';
            await sound?.replaceTrack(t);
          }
          for (const t of fresh.getVideoTracks()) {
            t.contentHint = 'detail';
            await write(new MediaStreamTrackProcessor({track: t, maxBufferSize: 2}).readable);
          }
          for (const t of stream?.getTracks() ?? []) t.stop();
          stream = fresh;
          return fresh.getTracks().map(t => t.kind).sort().join();
        }
        // In a worker, where files are written without waiting.
        function write(pictures) {
          return new Promise((done, failed) => {
            writer ??= new Worker(URL.createObjectURL(
              new Blob(['(' + writing + ')()'], {type: 'text/javascript'})));
            writer.onmessage = ({data}) => {
              if (data == 'ready') return done();
              failed(Error(data));
              // Once it had begun, nobody waits for it any more.
              if (pc) close();
            };
            writer.onerror = e => failed(Error(e.message));
            writer.postMessage({pictures, ring}, [pictures]);
          });
        }
        function writing() {
          let file, number = 0n, slot, reader, reading;
          async function open(ring) {
            const place = await navigator.storage.getDirectory();
            const handle = await place.getFileHandle('pictures', {create: true});
            file = await handle.createSyncAccessHandle();
            file.truncate(ring.fileBytes);
            slot = new Uint8Array(ring.slotBytes);
            file.write(new TextEncoder().encode(ring.title), {at: 0});
          }
          async function put(frame, ring) {
            const view = new DataView(slot.buffer);
            const {width, height} = frame.visibleRect;
            const isOurs = frame.format == 'I420' && width <= ring.width && height <= ring.height;
            view.setBigUint64(0, ++number, true);
            view.setBigInt64(8, BigInt(frame.timestamp), true);
            view.setUint32(16, width, true);
            view.setUint32(20, height, true);
            view.setUint32(24, isOurs ? ring.kind : 0, true);
            if (isOurs) await frame.copyTo(slot.subarray(ring.pixels, -ring.tail));
            view.setBigUint64(ring.slotBytes - ring.tail, number, true);
            file.write(slot,
              {at: ring.pageBytes + Number(number % BigInt(ring.slots)) * ring.slotBytes});
            file.write(slot.subarray(0, 8), {at: ring.newest});
          }
          onmessage = async ({data: {pictures, ring}}) => {
            try {
              if (!file) await open(ring);
              reader?.cancel();
              await reading;
              reader = pictures.getReader();
              reading = read(ring);
              postMessage('ready');
            } catch (e) {
              postMessage(String(e));
            }
          };
          async function read(ring) {
            try {
              while (true) {
                const {value: frame, done} = await reader.read();
                if (done) return;
                try { await put(frame, ring); } finally { frame.close(); }
              }
            } catch (e) {
              postMessage(String(e));
            }
          }
        }
        async function offer() {
          pc = new RTCPeerConnection();
          for (const t of stream.getAudioTracks()) {
            sound = pc.addTransceiver(t, {direction: 'sendonly', streams: [stream],
              sendEncodings: [{maxBitrate: 192000}]}).sender;
          }
          await pc.setLocalDescription();
          if (pc.iceGatheringState != 'complete') await new Promise(done => {
            pc.onicegatheringstatechange = () => pc.iceGatheringState == 'complete' && done();
            setTimeout(done, 3000);
          });
          return pc.localDescription.sdp;
        }
        async function answer(sdp) {
          const number = sdp.match(/a=rtpmap:(\\d+) opus\\//i)?.[1];
          if (number) {
            const more = 'stereo=1;sprop-stereo=1;maxaveragebitrate=192000';
            const line = new RegExp('(a=fmtp:' + number + ' [^\\\\r\\\\n]*)');
            sdp = line.test(sdp) ? sdp.replace(line, '$1;' + more)
              : sdp.replace(new RegExp('(a=rtpmap:' + number + ' [^\\\\r\\\\n]*)'),
                '$1\\r\\na=fmtp:' + number + ' ' + more);
          }
          await pc.setRemoteDescription({type: 'answer', sdp});
        }

        """
}

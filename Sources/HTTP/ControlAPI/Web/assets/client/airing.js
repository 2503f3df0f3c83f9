// Starts and stops the room's stream and recording. The client's events `streaming` and `recording`
// report the results to all peers.

export class Airing {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  /**
   * @param {string} meetingURL the page that the stream shows: this room's own
   * @param {{isRecorded: boolean}} wish false: the room's template decides
   */
  startStream(meetingURL, { isRecorded }) {
    return this.#call("hls-start", {
      variants: [{ meeting_url: meetingURL }],
      ...(isRecorded ? { hls_recording: { single_file_per_layer: true, hls_vod: true } } : {}),
    });
  }

  stopStream() {
    return this.#call("hls-stop", {});
  }

  /** Records the room, whether or not it is streamed. */
  startRecording() {
    return this.#call("rtmp-start", { record: true });
  }

  stopRecording() {
    return this.#call("rtmp-stop", {});
  }
}

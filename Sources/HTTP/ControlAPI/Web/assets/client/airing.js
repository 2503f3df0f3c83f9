// Starts and stops what is streamed and recorded of the room. What becomes of it is told to everybody
// by the client's events `streaming` and `recording`.

export class Airing {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  /**
   * @param {string} meetingURL the page that the stream shows: this room's own
   * @param {{isRecorded: boolean}} wish what is not asked for is kept if the room's template says so
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

  /** Records the room, whether it is streamed or not. */
  startRecording() {
    return this.#call("rtmp-start", { record: true });
  }

  stopRecording() {
    return this.#call("rtmp-stop", {});
  }
}

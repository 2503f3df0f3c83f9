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
   * @param {{isRecorded: boolean, layout?: object}} wish isRecorded false: the room's template
   *   decides; layout: differences from the configured one
   */
  startStream(meetingURL, { isRecorded, layout }) {
    return this.#call("hls-start", {
      variants: [{ meeting_url: meetingURL }],
      ...(isRecorded ? { hls_recording: { single_file_per_layer: true, hls_vod: true } } : {}),
      ...(layout ? { layout } : {}),
    });
  }

  stopStream() {
    return this.#call("hls-stop", {});
  }

  /** Marks the present moment for players and in the recording. @param {string} text */
  mark(text) {
    return this.#call("hls-timed-metadata", { metadata_objs: [{ payload: text, duration: 1 }] });
  }

  /** Records the room, whether or not it is streamed. */
  startRecording() {
    return this.#call("rtmp-start", { record: true });
  }

  stopRecording() {
    return this.#call("rtmp-stop", {});
  }
}

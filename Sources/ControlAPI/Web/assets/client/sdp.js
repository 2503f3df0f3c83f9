// What the client reads from a session description, and what it adds.

/**
 * Which stream and track each media section carries, by its mid.
 *
 * Browsers differ in the ids they give to tracks (Firefox makes its own up), so the description,
 * which both ends see, is what names a track. RFC 8830.
 *
 * @param {string} sdp
 * @returns {Map<string, {streamID: string, trackID: string}>}
 */
export function mediaIdentifiers(sdp) {
  const found = new Map();
  let mid = null;
  let msid = null;
  const finish = () => {
    if (mid !== null && msid !== null) found.set(mid, msid);
    mid = null;
    msid = null;
  };
  for (const line of sdp.split(/\r?\n/)) {
    if (line.startsWith("m=")) finish();
    else if (line.startsWith("a=mid:")) mid = line.slice(6).trim();
    else if (line.startsWith("a=msid:") && msid === null) {
      const [streamID, trackID] = line.slice(7).trim().split(/\s+/);
      if (trackID) msid = { streamID, trackID };
    }
  }
  finish();
  return found;
}

/**
 * Wishes not to send silence. The server says in its answer that it wishes so too, which is what
 * browsers heed: of a muted microphone five packets a second are left of fifty. RFC 7587 sect. 6.1.
 *
 * @param {string} sdp
 * @returns {string}
 */
export function withoutSilence(sdp) {
  return sdp.replaceAll("useinbandfec=1", "useinbandfec=1;usedtx=1");
}

/**
 * Offers to send lost sound again. The server asks for it then, and browsers of Chromium's kind answer,
 * though they do not offer it themselves. RFC 4585 sect. 6.2.1.
 *
 * @param {string} sdp
 * @returns {string}
 */
export function withRepairedSound(sdp) {
  return sdp.replace(/^a=rtpmap:(\d+) opus\/48000\/2(\r?\n)/gim, "$&a=rtcp-fb:$1 nack$2");
}

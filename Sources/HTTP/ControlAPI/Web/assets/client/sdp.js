// Reads and extends session descriptions.

/**
 * The stream and the track of each media section, by its mid.
 *
 * Browsers differ in the ids that they give to tracks (Firefox makes up its own), so tracks are
 * identified by the description, which both ends see. RFC 8830.
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
 * Requests how sound is sent. The server's answer requests the same, and browsers obey the answer.
 * RFC 7587 sect. 6.1.
 *
 * DTX: a muted microphone sends five packets a second instead of fifty. Stereo for the sound of a
 * screen.
 *
 * So sections of one bundle have one payload type with different parameters, which RFC 9143 sect.
 * 9.1 does not allow. These only affect what an encoder may omit and do not change the format;
 * browsers choose the numbers and offer no other way.
 *
 * @param {string} sdp
 * @param {Set<string>} screens the mids of the sections with a screen's sound
 * @returns {string}
 */
export function withSoundWishes(sdp, screens) {
  return mapSections(sdp, (section, mid) => {
    const frugal = withOpusParameter(section, "usedtx=1");
    return screens.has(mid) ? withOpusParameter(frugal, "stereo=1") : frugal;
  });
}

/**
 * Requests stereo where it is offered, which Chromium-based browsers do not do by themselves.
 *
 * @param {string} answer
 * @param {string} offer
 * @returns {string}
 */
export function withStereoAsOffered(answer, offer) {
  const offered = new Set();
  mapSections(offer, (section, mid) => {
    if (/^a=fmtp:.*[ ;]stereo=1(;|\r?$)/m.test(section)) offered.add(mid);
    return section;
  });
  return mapSections(answer, (section, mid) =>
    offered.has(mid) ? withOpusParameter(section, "stereo=1") : section,
  );
}

function mapSections(sdp, change) {
  return sdp
    .split(/^(?=m=)/m)
    .map((section) => change(section, /^a=mid:(\S+)/m.exec(section)?.[1]))
    .join("");
}

/** Browsers write `useinbandfec=1` in all of Opus' formats and in no other's. */
function withOpusParameter(section, parameter) {
  return section.replace(/^a=fmtp:\d+ (.*useinbandfec=1.*)$/gm, (line, parameters) =>
    parameters.split(";").includes(parameter)
      ? line
      : line.replace("useinbandfec=1", `useinbandfec=1;${parameter}`),
  );
}

/**
 * Offers to retransmit lost sound. The server then requests it, and Chromium-based browsers answer,
 * though they do not offer it themselves. RFC 4585 sect. 6.2.1.
 *
 * @param {string} sdp
 * @returns {string}
 */
export function withRepairedSound(sdp) {
  return sdp.replace(/^a=rtpmap:(\d+) opus\/48000\/2(\r?\n)/gim, "$&a=rtcp-fb:$1 nack$2");
}

"""A clock that a browser draws into what it publishes, and reads from what another one shows.

Its cells are along the top of a picture of 640x360: one white, one black, the bits of the time, and
the bits of its check sum. The time is in units of 4 ms and begins anew every 262 s."""

# Draws the clock into a canvas that is published by WHIP.
PUBLISH = """async ({endpoint, token}) => {
  const canvas = document.body.appendChild(document.createElement("canvas"));
  [canvas.width, canvas.height] = [640, 360];
  const context = canvas.getContext("2d");
  const draw = () => {
    const value = Math.floor(Date.now() / 4) % 65536;
    const sum = (value ^ (value >> 4) ^ (value >> 8) ^ (value >> 12)) & 15;
    const bits = (1 << 20) | (value << 4) | sum;
    // Something for the encoder to do, which also tells a person how it goes.
    context.fillStyle = `hsl(${Date.now() / 50 % 360} 60% 50%)`;
    context.fillRect(0, 60, 640, 300);
    context.fillStyle = "#fff";
    context.font = "72px sans-serif";
    context.fillText(new Date().toISOString().slice(14, 23), 100, 220);
    for (let cell = 0; cell < 22; cell += 1) {
      const isWhite = cell === 0 || (cell > 1 && bits >> (21 - cell) & 1);
      context.fillStyle = isWhite ? "#fff" : "#000";
      context.fillRect(cell * 29, 0, 29, 60);
    }
  };
  draw();
  setInterval(draw, 1000 / 60);
  const sound = new AudioContext();
  const tone = new OscillatorNode(sound, { frequency: 440 });
  const destination = sound.createMediaStreamDestination();
  tone.connect(new GainNode(sound, { gain: 0.1 })).connect(destination);
  tone.start();
  const connection = new RTCPeerConnection();
  window.connection = connection;
  for (const track of [...canvas.captureStream(30).getTracks(), ...destination.stream.getTracks()])
    connection.addTransceiver(track, { direction: "sendonly" });
  await connection.setLocalDescription();
  const answer = await fetch(endpoint, { method: "POST", body: connection.localDescription.sdp,
    headers: { "Content-Type": "application/sdp", Authorization: `Bearer ${token}` } });
  if (answer.status !== 201) throw new Error(await answer.text());
  await connection.setRemoteDescription({ type: "answer", sdp: await answer.text() });
}"""

# In every page before its own scripts: keeps what each new picture of its video shows, as
# `{now, age, height}` in ms and lines, in `window.pictures`; in `window.begun` when the page was asked
# for, in `window.moving` when the second picture was shown, and in `window.stalls` when it began to
# wait for media and when the next picture came, as `[from, to]`.
WATCH = """() => {
  Object.assign(window, { pictures: [], moving: null, stalls: [], begun: performance.timeOrigin });
  const canvas = new OffscreenCanvas(640, 360);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const read = (video) => {
    context.drawImage(video, 0, 0, 640, 360);
    const { data } = context.getImageData(0, 25, 640, 1);
    const light = (cell) => data[4 * (cell * 29 + 14) + 1];
    const middle = (light(0) + light(1)) / 2;
    if (light(0) - light(1) < 100) return null;
    let bits = 0;
    for (let cell = 2; cell < 22; cell += 1) bits = bits << 1 | (light(cell) > middle ? 1 : 0);
    const value = bits >> 4;
    const sum = (value ^ (value >> 4) ^ (value >> 8) ^ (value >> 12)) & 15;
    return sum === (bits & 15) ? value * 4 : null;
  };
  const attach = (video) => {
    let count = 0;
    let stood = null; // since when
    const shown = (_, { height }) => {
      const now = Date.now();
      if (stood !== null) window.stalls.at(-1)[1] = now;
      stood = null;
      count += 1;
      if (count === 2) window.moving = now;
      const drawn = read(video);
      if (drawn !== null) {
        const span = 65536 * 4;
        window.pictures.push({ now, height, age: ((now - drawn) % span + span) % span });
      }
      video.requestVideoFrameCallback(shown);
    };
    video.requestVideoFrameCallback(shown);
    video.addEventListener("waiting", () => {
      if (count < 2 || stood !== null) return;
      stood = Date.now();
      window.stalls.push([stood, null]);
    });
  };
  const look = () => {
    const video = document.querySelector("video");
    if (video) attach(video);
    else setTimeout(look, 5);
  };
  look();
}"""

TAKE = """() => ({
  pictures: window.pictures, moving: window.moving, begun: window.begun, now: Date.now(),
  stalls: window.stalls.map(([from, to]) => [from, to ?? Date.now()]),
})"""

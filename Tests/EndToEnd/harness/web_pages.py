"""Pages for a browser to show, on the loopback: good ones and bad ones."""

import threading
import time

from .local_server import Handler, LocalServer
from .server import REPOSITORY

CLIP = (REPOSITORY / "fixtures/media/ann.webm").read_bytes()
COLOURS = {"red": "#c81e1e", "blue": "#1e1ec8"}


def _coloured(colour, script=""):
    """Fills the picture, counts, and beeps all the time."""
    return f"""<!doctype html><title>{colour}</title>
<body style="margin:0;background:{COLOURS[colour]}"><p id="count" style="font:40px monospace">0</p>
<script>
let n = 0;
setInterval(() => count.textContent = ++n, 100);
const context = new AudioContext(), tone = context.createOscillator(), gain = context.createGain();
gain.gain.value = 0.2;
tone.connect(gain).connect(context.destination);
tone.start();
{script}
</script>"""


# What the clips show (fixtures/make-media.sh), drawn by the page itself: at each full second of the
# sound's own clock it is white for 100 ms and beeps, and ten cells along the top count 1/30 s.
FLASHES = """<!doctype html><body style="margin:0;overflow:hidden">
<canvas id="canvas" width="640" height="360" style="display:block;width:100vw"></canvas><script>
const picture = canvas.getContext('2d'), context = new AudioContext();
const gain = context.createGain(), tone = context.createOscillator();
tone.frequency.value = 1000;
gain.gain.value = 0;
tone.connect(gain).connect(context.destination);
tone.start();
let planned = 0;
function draw() {
  requestAnimationFrame(draw);
  const heard = context.getOutputTimestamp();
  const now = heard.contextTime + (performance.now() - heard.performanceTime) / 1000;
  while (planned < context.currentTime + 2) {
    planned += 1;
    gain.gain.setValueAtTime(0.5, planned);
    gain.gain.setValueAtTime(0, planned + 0.1);
  }
  picture.fillStyle = now > 1 && now % 1 < 0.1 ? '#fff' : '#b03a3a';
  picture.fillRect(0, 0, 640, 360);
  const count = Math.floor(now * 30);
  for (let cell = 0; cell < 10; cell++) {
    picture.fillStyle = count >> (9 - cell) & 1 ? '#fff' : '#000';
    picture.fillRect(120 + cell * 40, 12, 36, 28);
  }
}
draw();
</script>"""

PAGES = {
    "/flashes": FLASHES,
    "/red": _coloured("red"),
    "/blue": _coloured("blue"),
    "/still": "<!doctype html><body style='background:#c81e1e'><h1>nothing moves</h1>",
    "/clip": "<!doctype html><body style='margin:0;background:#000'>"
             "<video src='/ann.webm' autoplay loop style='width:100vw;height:100vh;display:block'>",
    "/blank": "<!doctype html><title>blank</title>",
    "/signal": _coloured("red", "setTimeout(() => console.log('START_RECORDING'), 3000)"),
    "/ends": _coloured("red", "fetch('/asked?ends').then(r => r.text()).then(() => "
                              "console.log('END_RECORDING'))"),
    "/closes": _coloured("red", "fetch('/asked?closes').then(r => r.text()).then(() => close())"),
    "/wants": _coloured("red", """
setInterval(() => alert('look at me'), 200);
navigator.mediaDevices.getUserMedia({video: true, audio: true})
  .then(() => console.error('a camera'), e => console.error('refused: ' + e.name));
navigator.mediaDevices.getDisplayMedia()
  .then(() => console.error('a screen'), e => console.error('no screen: ' + e.name));
navigator.geolocation.getCurrentPosition(
  () => console.error('a place'), e => console.error('no place: ' + e.code));
Notification.requestPermission().then(found => console.log('notifications: ' + found));
navigator.clipboard.readText()
  .then(() => console.error('a clipboard'), e => console.error('no clipboard: ' + e.name));
const link = document.createElement('a');
link.href = URL.createObjectURL(new Blob(['taken']));
link.download = 'roomcast-taken.bin';
link.click();
document.body.appendChild(document.createElement('iframe')).src = '/roomcast-taken.bin';
setInterval(() => { window.open('/blue'); console.log('opened'); }, 500);"""),
    "/sneak": _coloured("red", """
// Every way past the guard: datagrams and connections of WebRTC, from the document and from a frame
// without an address, and WebTransport, from the document and a worker.
const port = location.search.slice(1), told = [];
async function gather(window) {
  const pc = new window.RTCPeerConnection({iceServers: [
    {urls: [`stun:127.0.0.1:${port}`, `turn:127.0.0.1:${port}?transport=udp`,
            `turn:127.0.0.1:${port}?transport=tcp`], username: 'a', credential: 'b'}]});
  pc.createDataChannel('x');
  await pc.setLocalDescription();
  await pc.setRemoteDescription({type: 'answer', sdp: pc.localDescription.sdp
    .replace('a=setup:actpass', 'a=setup:active').replace(/a=candidate.*\\r\\n/g, '')
    .replace(/a=ice-ufrag:.*/, 'a=ice-ufrag:aaaa')
    .replace(/a=ice-pwd:.*/, 'a=ice-pwd:' + 'b'.repeat(24))});
  for (const kind of ['udp', 'tcp']) await pc.addIceCandidate({sdpMLineIndex: 0, candidate:
    `candidate:1 1 ${kind} 2122260223 127.0.0.1 ${port} typ host`
    + (kind == 'tcp' ? ' tcptype passive' : '')});
  await new Promise(done => setTimeout(done, 3000));
  return (pc.localDescription.sdp.match(/a=candidate/g) ?? []).length;
}
function transport() { new WebTransport(`https://127.0.0.1:${port}/`); }
// And what the guard refuses, as parts of a page that it lets pass.
const elsewhere = `127.0.0.2:${port}`;
function part(kind, url) {
  const node = document.createElement(kind);
  return new Promise(done => {
    node.onload = () => done(`${kind} load`);
    node.onerror = () => done(`${kind} error`);
    node.src = url;
    document.body.append(node);
  });
}
const parts = Promise.all([
  fetch(`http://${elsewhere}/`).then(() => 'fetch answer', () => 'fetch error'),
  part('img', `http://${elsewhere}/x.png`),
  part('script', `http://${elsewhere}/x.js`),
  new Promise(done => {
    const socket = new WebSocket(`ws://${elsewhere}/`);
    socket.onopen = () => done('socket open');
    socket.onerror = () => done('socket error');
  }),
  part('iframe', 'http://169.254.169.254/latest'),
]);
async function sneak() {
  const frame = document.body.appendChild(document.createElement('iframe'));
  new Worker(URL.createObjectURL(new Blob([`const port = ${port}; ${transport}; transport()`])));
  try { transport() } catch {}
  const found = await Promise.all([gather(window), gather(frame.contentWindow)]);
  console.log(`parts ${(await parts).slice(0, 4)}`);
  console.log(`candidates ${found}, window ${window.open('about:blank')}`);
}
sneak().catch(error => console.error('sneak: ' + error));"""),
    "/storm": _coloured("red", """
console.log('x'.repeat(40 << 20));
console.log('a' + '\\u0301'.repeat(5 << 20));
setTimeout(() => console.log('after the storm'), 1000);"""),
    "/large": _coloured("red", "window.kept = new Uint8Array(200 << 20).fill(1)"),
    "/hang": _coloured("red", "fetch('/asked?hang').then(r => r.text()).then(t => "
                              "{ if (t == 'now') for (;;) {} })"),
    "/greedy": _coloured("red", """
const kept = [];
setInterval(() => {
  if (kept.length < 128) kept.push(new Uint8Array(64 << 20).fill(kept.length + 1));
}, 20);"""),
    "/broken": "<!doctype html><script>undefinedFunction()</script>",
}


class WebPages(LocalServer):
    """Serves `PAGES`. `/404` is missing, `/endless` never ends, `/to?<url>` redirects there,
    `/roomcast-taken.bin` is a download, and `/asked?<name>` answers once the test calls
    `let(name)`. `asked` has each path."""

    def __init__(self, context=None):
        self.asked = []
        self._let = {}
        super().__init__(self._handler(), context=context)

    def _handler(pages):  # noqa: N805  the handler has its own self
        class Endpoint(Handler):
            def do_GET(self):
                pages.asked.append(self.path)
                path, _, query = self.path.partition("?")
                if path == "/to":
                    return self.answer(302, Location=query)
                if path == "/endless":
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    return pages._drip(self.wfile)
                if path == "/silent":
                    return pages._wait(None)
                if path == "/asked":
                    # Only the first load of the page is told to do it.
                    text = b"now" if pages._wait(query) else b"later"
                    return self.answer(200, text)
                if path == "/roomcast-taken.bin":
                    return self.answer(200, b"taken", Content_Type="application/octet-stream",
                                       Content_Disposition="attachment")
                if path == "/ann.webm":
                    return self.answer(200, CLIP, Content_Type="video/webm")
                body = PAGES.get(path)
                kind = "text/html; charset=utf-8"
                self.answer(200 if body else 404, (body or "nothing here").encode(),
                            Content_Type=kind)

        return Endpoint

    def _drip(self, out):
        try:
            while True:
                out.write(b" ")
                out.flush()
                time.sleep(0.2)
        except OSError:
            pass

    def _wait(self, name):
        event = self._let.setdefault(name, threading.Event())
        first = event.wait(120) and not getattr(event, "is_used", False)
        event.is_used = True
        return first

    def let(self, name):
        self._let.setdefault(name, threading.Event()).set()

// The room page: preview, call, farewell.
//
// Query: `name`, `role`, `auth_token` (a room token, if the server gives none to pages), `code` (a
// room code in its place) and `skip_preview=true`, as in 100ms' own meeting URLs. `view=grid` and
// `view=speaker` show the room without controls, for a browser that nobody sits at: no devices, no
// preview, no farewell.

import { configuration } from "../common/api.js";
import { Call } from "./call.js";
import { randomIdentifier } from "../client/identifier.js";
import { byID } from "../common/dom.js";
import { placeIcons } from "../common/icons.js";
import { Entrance } from "./invite/entrance.js";
import { LocalMedia } from "./devices/local-media.js";
import { Preview } from "./devices/preview.js";
import { roomTitle } from "../common/room-name.js";
import { RoomcastClient } from "../client/roomcast-client.js";

const roomID = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const query = new URLSearchParams(location.search);
const { view } = document.documentElement.dataset;
const media = new LocalMedia();
const entrance = new Entrance(roomID, query);
let client = null;

document.title = `${roomTitle(roomID)} · Roomcast`;
placeIcons();

const preview = new Preview({
  roomID,
  media,
  name: query.get("name") ?? "",
  entrance,
  onJoin: enter,
});

async function enter({ name, role }) {
  const token = await entrance.token({ role, userID: userIDFrom(name) });
  client = new RoomcastClient({ origin: location.origin, token });
  const settings = configuration().catch(() => ({}));
  try {
    await client.connect();
    await client.join({ name });
  } catch (error) {
    client.leave();
    throw error;
  }
  const { image_sources: imageSources } = await settings;
  preview.hide();
  new Call({ client, token, media, roomID, view, imageSources, onEnd: sayFarewell }).start();
}

/** Plain ASCII, because some clients of the protocol cannot decode other characters in tokens. */
function userIDFrom(name) {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${plain.slice(0, 40) || "user"}-${randomIdentifier().slice(0, 8)}`;
}

function sayFarewell(reason) {
  media.stop();
  byID("call").hidden = true;
  // A stream of this page has nothing more to show.
  if (view) return close();
  byID("farewell-reason").textContent = reason;
  byID("farewell").hidden = false;
  byID("rejoin").focus();
}

byID("rejoin").addEventListener("click", () => location.reload());
addEventListener("pagehide", () => client?.leave());

if (view) {
  try {
    await enter({ name: query.get("name") ?? "view", role: query.get("role") ?? "viewer" });
  } catch (error) {
    // An empty page would be streamed for ever.
    console.error(error);
    close();
  }
} else {
  preview.show();
  const isReady = media.start();
  if (query.get("skip_preview") === "true") {
    await isReady;
    await preview.join();
  }
}

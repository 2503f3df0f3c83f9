// The first call of a client: exchanges a room token for the socket's address and the settings.

import { SignalError } from "./signal.js";
import { t } from "../common/texts.js";

const answerTimeout = 8000; // ms; a reconnect has a minute for all its tries
const protocolVersion = "2.5";
const protocolSpecification = "20250115";
const userAgent = "os:web,sdk:web,sdk_version:1.0.0,env:prod,domain:roomcast,is_prebuilt:false";

/** The answer of `/init`. @throws {SignalError} with the answer's status and the server's reason */
export async function initialise({ origin, token, peerID }) {
  const query = new URLSearchParams({ peer_id: peerID, user_agent_v2: userAgent });
  let response;
  let text;
  try {
    response = await fetch(new URL(`/init?${query}`, origin), {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(answerTimeout),
    });
    text = await response.text();
  } catch (error) {
    const message = error.name === "TimeoutError"
      ? t("The server did not answer in time.") : t("The server could not be reached.");
    throw new SignalError(2003, message, "init");
  }
  const body = parsed(text);
  if (!response.ok) {
    const message = body.message ? t(body.message)
      : t("The server answered {status}.", { status: response.status });
    throw new SignalError(response.status, message, "init");
  }
  return body;
}

/** Bodies without JSON, for example from a proxy, are treated as empty. */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** The endpoint with the query parameters of the protocol; existing ones stay. */
export function socketURL(endpoint, { token, peerID }) {
  const url = new URL(endpoint);
  url.searchParams.set("peer", peerID);
  url.searchParams.set("token", token);
  url.searchParams.set("user_agent_v2", userAgent);
  url.searchParams.set("protocol_version", protocolVersion);
  url.searchParams.set("protocol_spec", protocolSpecification);
  return url;
}

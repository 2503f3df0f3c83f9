// The requests of the operator's page. The session is in a cookie that no script can read.

import { request } from "../common/api.js";

// Pages of other sites cannot set it.
const own = { "X-Roomcast-Admin": "1" };

let onClosed = () => {};

/** @param {() => void} action when the server says that nobody is logged in any more */
export function whenClosed(action) {
  onClosed = action;
}

async function send(path, options = {}) {
  try {
    return await request(`/admin/api${path}`, {
      ...options, headers: { ...own, ...options.headers },
    });
  } catch (error) {
    if (error.status === 401 && path !== "/session") onClosed();
    throw error;
  }
}

function body(method, value) {
  return {
    method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
  };
}

/** `{state: "open"|"closed"|"without_password"|"unusable_password", version}` */
export const session = () => send("/session");
export const enter = (password) => send("/session", body("POST", { password }));
export const leave = () => send("/session", { method: "DELETE" });

/** @param {string} path of the page's own data, or of the control API: `/v2/…` */
export const get = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null);
  const text = new URLSearchParams(given).toString();
  return send(text ? `${path}?${text}` : path);
};
export const post = (path, value = {}) => send(path, body("POST", value));
export const patch = (path, value) => send(path, body("PATCH", value));

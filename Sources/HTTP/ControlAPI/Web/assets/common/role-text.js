// The names of roles as people read them. Pure.

import { capital, t } from "./texts.js";

// The roles that every server has unless its operator defines others.
const usual = { host: t("Host"), guest: t("Guest"), viewer: t("Viewer") };

/** "Host" for "host"; a role that the operator named keeps that name in any language. */
export const roleText = (name) =>
  Object.hasOwn(usual, name) ? usual[name] : capital(name);

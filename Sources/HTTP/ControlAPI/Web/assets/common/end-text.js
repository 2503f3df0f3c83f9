// Why a stream or a recording ended. Pure.

import { t } from "./texts.js";

// The server marks failures so; where it is shown, the state says that already.
const mark = /^failure: /;

/** @param {string} [reason] the server's `stop_reason` @returns {string} empty for none */
export const endText = (reason) => (reason ? t(reason.replace(mark, "")) : "");

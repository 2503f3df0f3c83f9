// A call as a command, with which anybody can try it.

const file = "application/octet-stream";

/**
 * @param {import("./description.js").Description} description
 * @param {string} server its origin
 */
export function curl(call, description, server) {
  const words = ["curl"];
  if (call.method !== "GET") words.push("-X", call.method);
  if (call.token !== "none") words.push("-H", '"Authorization: Bearer $token"');
  if (call.body) words.push("-H", `"Content-Type: ${call.body.type}"`);
  const lines = [words.join(" ")];
  if (call.body) lines.push(`    ${body(call, description)}`);
  const address = server + path(call, description) + query(call, description);
  lines.push(`    ${/[?&]/.test(address) ? quoted(address) : address}`);
  // A short command stays in one line.
  const whole = lines.map((line) => line.trim()).join(" ");
  return whole.length <= 76 ? whole : lines.join(" \\\n");
}

function body({ body: { type, schema, example } }, description) {
  if (type === file) return "--data-binary @FILE";
  return `-d ${quoted(JSON.stringify(example ?? description.example(schema)))}`;
}

function path(call, description) {
  return call.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const parameter = call.parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(value(parameter, description) ?? name);
  });
}

function query(call, description) {
  const needed = call.parameters.filter((one) => one.in === "query" && one.required);
  if (needed.length === 0) return "";
  return `?${new URLSearchParams(needed.map((one) => [one.name, value(one, description)]))}`;
}

function value(parameter, description) {
  return parameter?.example ?? (parameter && description.example(parameter.schema));
}

/** For a shell: nothing in it is expanded. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// What a description in OpenAPI's form says, in the terms of the page that shows it.

const methods = ["get", "post", "put", "patch", "delete"];
const depthMaximum = 4; // of fields in fields

/** @typedef {{name: string, type: string, limits: string[], isRequired: boolean, text: string,
 *   fields: Field[]}} Field */

export class Description {
  #document;

  /** @param {object} document OpenAPI 3.1 */
  constructor(document) {
    this.#document = document;
  }

  get title() {
    return this.#document.info.title;
  }

  get text() {
    return this.#document.info.description ?? "";
  }

  /** What a component says instead of a place that only refers to it. */
  resolve(node) {
    if (typeof node?.$ref !== "string") return node;
    const path = node.$ref.replace(/^#\//, "").split("/");
    return path.reduce((place, key) => place?.[key], this.#document);
  }

  /** Groups in their order, each with its calls. */
  groups() {
    const groups = (this.#document.tags ?? []).map(({ name, description = "" }) =>
      ({ name, text: description, calls: [] }));
    for (const [path, item] of Object.entries(this.#document.paths)) {
      for (const method of methods) {
        if (!item[method]) continue;
        const call = this.#call(path, method, item);
        groups.find(({ name }) => name === call.group)?.calls.push(call);
      }
    }
    return groups.filter(({ calls }) => calls.length > 0);
  }

  #call(path, method, item) {
    const operation = item[method];
    const security = operation.security ?? this.#document.security ?? [];
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      .map((one) => this.resolve(one));
    return {
      id: operation.operationId,
      group: operation.tags?.[0] ?? "",
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? "",
      text: operation.description ?? "",
      /** "required", "optional" or "none" */
      token: security.length === 0 ? "none"
        : security.some((one) => Object.keys(one).length === 0) ? "optional" : "required",
      parameters,
      body: this.#body(operation.requestBody),
      answers: Object.entries(operation.responses ?? {}).map(([status, answer]) =>
        this.#answer(status, answer)),
    };
  }

  #body(node) {
    if (!node) return null;
    const body = this.resolve(node);
    const [type, content] = Object.entries(body.content)[0];
    return { type, isRequired: body.required === true, text: body.description ?? "",
      schema: content.schema, example: content.example };
  }

  #answer(status, node) {
    const answer = this.resolve(node);
    const [type, content] = Object.entries(answer.content ?? {})[0] ?? [];
    return { status, text: answer.description ?? "", type: type ?? null, schema: content?.schema };
  }

  /** The fields of an object, or of the objects in a list; none of anything else. */
  fields(schema, depth = 0, seen = []) {
    const whole = this.resolve(schema) ?? {};
    if (seen.includes(whole) || depth > depthMaximum) return [];
    const path = [...seen, whole];
    if (whole.items) return this.fields(whole.items, depth, path);
    const required = whole.required ?? [];
    return Object.entries(whole.properties ?? {}).map(([name, one]) => ({
      ...this.value(one), name, isRequired: required.includes(name),
      fields: this.fields(one, depth + 1, path),
    }));
  }

  /** What a parameter or field may be, without the fields in it. */
  value(schema) {
    const whole = this.resolve(schema) ?? {};
    // What a place says of itself says more than what it refers to.
    const text = schema?.description ?? whole.description ?? "";
    return { type: this.typeText(whole), limits: limits(whole), text };
  }

  /** "list of strings", "object or null" */
  typeText(schema) {
    const whole = this.resolve(schema) ?? {};
    const types = [whole.type ?? "anything"].flat();
    return types.map((type) => this.#oneType(type, whole)).join(" or ");
  }

  #oneType(type, { items, format, additionalProperties }) {
    if (type === "array") return items ? `list of ${plural(this.typeText(items))}` : "list";
    if (type === "object" && additionalProperties?.type) {
      return `object of ${plural(this.typeText(additionalProperties))}`;
    }
    if (type === "string" && format === "date-time") return "time";
    return { integer: "whole number", boolean: "true or false" }[type] ?? type;
  }

  /** An example of a value, for a request that could be sent. */
  example(schema, depth = 0) {
    const whole = this.resolve(schema) ?? {};
    for (const given of [whole.example, whole.examples?.[0], whole.default, whole.enum?.[0]]) {
      if (given !== undefined) return given;
    }
    const type = [whole.type].flat()[0];
    switch (type) {
      case "integer":
      case "number":
        return whole.minimum ?? 1;
      case "boolean":
        return true;
      case "array":
        return whole.items && depth < depthMaximum ? [this.example(whole.items, depth + 1)] : [];
      case "object":
        return Object.fromEntries((whole.required ?? []).map((name) =>
          [name, this.example(whole.properties?.[name], depth + 1)]));
      default:
        return "…";
    }
  }
}

function plural(type) {
  const words = { string: "strings", "whole number": "whole numbers", number: "numbers",
    object: "objects", "true or false": "true or false" };
  return words[type] ?? type;
}

/** The limits of a value in words. */
function limits(schema) {
  const found = [];
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  if (schema.enum) found.push(schema.enum.filter((one) => one !== null).join(" · "));
  if (minimum !== undefined || maximum !== undefined) found.push(range(minimum, maximum));
  if (minLength !== undefined || maxLength !== undefined) {
    found.push(`${range(minLength, maxLength)} characters`);
  }
  if (minItems !== undefined || maxItems !== undefined) {
    found.push(`${range(minItems, maxItems)} of them`);
  }
  if (schema.pattern) found.push(`matches ${schema.pattern}`);
  if (schema.default !== undefined) found.push(`by default ${schema.default}`);
  return found;
}

function range(from, to) {
  if (from === undefined) return `up to ${to}`;
  if (to === undefined) return `at least ${from}`;
  return from === to ? String(from) : `${from} to ${to}`;
}

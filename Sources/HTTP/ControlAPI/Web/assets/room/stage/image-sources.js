// From where the page may load images of people. Pure.

/** The sources that the server allows, as in `img-src` of its Content Security Policy. */
export class ImageSources {
  #patterns;

  /** @param {string[]} sources such as `https://example.org` and `https://*.example.org:8443` */
  constructor(sources = []) {
    this.#patterns = sources.map((source) => {
      const escaped = source.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
      return new RegExp(`^${escaped.replace("*", "[^:/]+")}$`);
    });
  }

  /** @returns {string|null} the address, or null if its image may not be loaded */
  allowed(address) {
    const origin = originOf(address);
    return this.#patterns.some((pattern) => pattern.test(origin)) ? address : null;
  }
}

function originOf(address) {
  try {
    return new URL(address).origin;
  } catch {
    return "";
  }
}

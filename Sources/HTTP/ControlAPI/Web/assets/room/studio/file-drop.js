// Files that are dragged to a part of the page.

/**
 * @param {Element} node
 * @param {(file: File) => void} onFile gets the first one
 */
export function takeFiles(node, onFile) {
  node.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    node.classList.add("is-target");
  });
  node.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!node.contains(relatedTarget)) node.classList.remove("is-target");
  });
  node.addEventListener("drop", (event) => {
    node.classList.remove("is-target");
    if (!hasFiles(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  });
}

/** A file that misses its place would be opened by the browser in place of the room. */
export function refuseOtherFiles() {
  const refuse = (event) => {
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}

function hasFiles({ dataTransfer }) {
  return Boolean(dataTransfer?.types.includes("Files"));
}

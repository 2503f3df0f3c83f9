// The pages' icons: 24 × 24, drawn in the text's colour.

const paths = {
  microphone: ["M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Z", "M5.5 11a6.5 6.5 0 0 0 13 0", "M12 17.5V21"],
  microphoneOff: ["M9 9v2a3 3 0 0 0 4.6 2.5", "M15 10.5V6a3 3 0 0 0-5.8-1.1", "M5.5 11a6.5 6.5 0 0 0 10.2 5.3", "M18.5 11a6.4 6.4 0 0 1-.7 2.9", "M12 17.500V21", "M4 3l16 18"],
  camera: ["M3.5 8a2 2 0 0 1 2-2h7.500a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5.500a2 2 0 0 1-2-2Z", "M15 10.500l5.5-3v9l-5.5-3"],
  cameraOff: ["M15 12V8a2 2 0 0 0-2-2H9.5", "M5.8 6a2 2 0 0 0-2.3 2v8a2 2 0 0 0 2 2H13a2 2 0 0 0 1.6-.8", "M15 10.500l5.5-3v9l-2.2-1.2", "M4 3l16 18"],
  screen: ["M3.5 5.500h17v11h-17Z", "M9 20h6", "M12 13.500V8.8", "M9.7 10.9 12 8.600l2.3 2.3"],
  chat: ["M4 5.500h16v11H10l-4 3.500v-3.500H4Z"],
  people: ["M9 11a3.2 3.2 0 1 0 0-6.400A3.2 3.2 0 0 0 9 11Z", "M3 19.500c.4-3.3 2.8-5.3 6-5.300s5.6 2 6 5.3", "M15.5 4.900a3.2 3.2 0 0 1 0 5.9", "M17.5 14.600c2 .8 3.2 2.5 3.5 4.9"],
  leave: ["M3.5 14.500c4.8-4.3 12.2-4.3 17 0l-2.3 2.4-3.4-1.600v-2.500a10 10 0 0 0-5.6 0v2.500l-3.4 1.600Z"],
  live: ["M12 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z", "M8.3 8.300a5.2 5.2 0 0 0 0 7.4", "M15.7 8.300a5.2 5.2 0 0 1 0 7.4", "M5.5 5.500a9.2 9.2 0 0 0 0 13", "M18.5 5.500a9.2 9.2 0 0 1 0 13"],
  play: ["M8 5.500v13l10.5-6.500Z"],
  download: ["M12 4.500v10.500", "M7.500 10.800 12 15.300l4.500-4.500", "M5 19.500h14"],
  film: ["M4 5.500h16v13H4Z", "M8 5.500v13", "M16 5.500v13", "M4 12h16"],
  link: ["M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.300l-1 1", "M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.700l1-1"],
  close: ["M6 6l12 12", "M18 6 6 18"],
  hand: ["M7.500 12.500V6.200a1.400 1.400 0 0 1 2.800 0V11", "M10.300 10.500V4.600a1.400 1.400 0 0 1 2.800 0v6", "M13.100 10.800V5.800a1.400 1.400 0 0 1 2.800 0v6", "M15.900 11.500V8.300a1.300 1.300 0 0 1 2.600 0v6.200c0 3.700-2.500 6-5.900 6-2.900 0-4.400-1.400-5.700-3.600l-2.300-4a1.400 1.400 0 0 1 2.400-1.400l.5.800"],
  devices: ["M4 7.500h9", "M17.500 7.500H20", "M4 16.500h2.500", "M11 16.500h9", "M15.200 9.800a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z", "M8.800 18.800a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z"],
  record: ["M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16Z", "M12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z"],
  end: ["M7.300 6.700a7.500 7.500 0 1 0 9.400 0", "M12 3.500v8"],
  polls: ["M5 20V11", "M12 20V4.500", "M19 20v-6"],
  pin: ["M9 4h6", "M10 4v6l-3 3.500h10L14 10V4", "M12 13.500V20"],
  speaker: ["M3.500 5.500h11v13h-11Z", "M17.500 5.500h3v3.500h-3Z", "M17.500 10.300h3v3.500h-3Z", "M17.500 15h3v3.500h-3Z"],
  more: ["M12 6.500a.7.7 0 1 0 0-1.400.7.7 0 0 0 0 1.400Z", "M12 12.700a.7.7 0 1 0 0-1.400.7.7 0 0 0 0 1.400Z", "M12 18.900a.7.7 0 1 0 0-1.400.7.7 0 0 0 0 1.400Z"],
  send: ["M4.5 12h14", "M13 6.500l5.5 5.5-5.5 5.5"],
};

/** @param {keyof typeof paths} name */
export function icon(name) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  for (const data of paths[name]) {
    const path = document.createElementNS(namespace, "path");
    path.setAttribute("d", data);
    svg.append(path);
  }
  return svg;
}

/** Inserts the icons that the HTML requests by `data-icon`. */
export function placeIcons(root = document) {
  for (const node of root.querySelectorAll("[data-icon]")) {
    node.prepend(icon(node.dataset.icon));
    node.removeAttribute("data-icon");
  }
}

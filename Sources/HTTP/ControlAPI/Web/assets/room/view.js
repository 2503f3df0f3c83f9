// Marks a view (see room.js) before anything is painted, or its stream would begin with the preview.
// No module, because modules run after the page is parsed.

document.documentElement.dataset.view = new URLSearchParams(location.search).get("view") ?? "";

// Draws what is around a memory. A page shows the same as a list beside it.
"use strict";

(async () => {
  const place = document.getElementById("graph");
  if (!place || !window.cytoscape) return;
  const answer = await fetch(place.dataset.src, { credentials: "same-origin" });
  if (!answer.ok) { place.remove(); return; }
  const { nodes, edges } = await answer.json();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawn = cytoscape({
    container: place,
    elements: [...nodes.map((data) => ({ data })), ...edges.map((data) => ({ data }))],
    layout: { name: "cose", animate: false, randomize: true, nodeRepulsion: () => 40000, idealEdgeLength: () => 90, padding: 30 },
    style: [
      { selector: "node", style: { label: "data(label)", "font-size": 11, color: colour("--ink"), "text-wrap": "wrap", "text-max-width": 120, "text-valign": "bottom", "text-margin-y": 4, "background-color": colour("--accent"), width: 14, height: 14 } },
      { selector: "node[?own]", style: { width: 24, height: 24, "font-weight": "bold" } },
      { selector: "node[?contested]", style: { "background-color": colour("--warn") } },
      { selector: "edge", style: { width: 1.2, "line-color": colour("--line"), "curve-style": "haystack" } },
    ],
    userZoomingEnabled: false,
  });
  drawn.on("tap", "node", (event) => { location.href = event.target.data("href"); });
})();

"""The looks of the timeline's page: one style sheet, light and dark, for any width.

Owns every colour and size. Each text has a contrast of 4.5 to 1 or more on what it
stands on, in both schemes. Nothing is loaded from anywhere.
"""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --line: #d9d9d4; --text: #1c1d1f; --soft: #5a5d63;
  --curve: #1f5fbf; --area: #1f5fbf26; --cut: #b3261e; --spill: #0b6e4f;
  --limit: #8a5a00; --bar: #1f5fbf; --bar-room: #e7e8ea; --focus: #1f5fbf;
  --hover: #1f5fbf1c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #141517; --card: #1d1f22; --line: #3a3d42; --text: #ececea; --soft: #a9adb4;
    --curve: #7db2ff; --area: #7db2ff2e; --cut: #ff9187; --spill: #6fd6ae;
    --limit: #e8b75a; --bar: #7db2ff; --bar-room: #33363b; --focus: #a8ccff;
    --hover: #7db2ff24;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
a { color: inherit; text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; }
.facts {
  display: grid; gap: .5rem; margin: 1rem 0 0; padding: 0;
  grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
}
.facts > div, .card {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
}
.facts > div { padding: .625rem .75rem; }
.facts dt { color: var(--soft); font-size: .8125rem; }
.facts dd { margin: 0; font-size: 1.25rem; line-height: 1.3; }
.facts small { display: block; font-size: .8125rem; color: var(--soft);
  white-space: normal; }
.card { padding: .75rem; }
figure { margin: 0; }
figcaption { font-size: .875rem; color: var(--soft); margin-top: .5rem; }
.chart { display: block; width: 100%; height: 18rem; overflow: visible; }
.chart text {
  font-size: .75rem; fill: var(--soft);
  paint-order: stroke; stroke: var(--card); stroke-width: 3px;
}
.chart .grid { stroke: var(--line); }
.chart .limit { stroke: var(--limit); stroke-dasharray: 6 4; }
.chart text.limit { fill: var(--limit); stroke: var(--card); stroke-dasharray: none; }
.chart path { vector-effect: non-scaling-stroke; fill: none; }
.chart path.area { fill: var(--area); }
.chart path.usage { stroke: var(--curve); stroke-width: 2; }
.chart path.estimate { stroke: var(--curve); stroke-width: 2; stroke-dasharray: 2 3; }
.chart .turn { fill: transparent; }
.chart .turn:hover { fill: var(--hover); }
.chart .cut line { stroke: var(--cut); stroke-width: 1.5; stroke-dasharray: 3 3; }
.chart .cut .dot { fill: var(--cut); stroke: var(--card); stroke-width: 2; }
.chart .reach { fill: transparent; }
.chart .spill { stroke: var(--spill); stroke-width: 2; }
.chart a:focus { outline: none; }
.chart a:focus-visible .dot { stroke: var(--focus); stroke-width: 4; }
.legend {
  display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none;
  padding: 0; margin: .5rem 0 0; font-size: .875rem;
}
.legend svg {
  display: inline-block; width: 1.75rem; height: .75rem; vertical-align: middle;
  margin-right: .375rem;
}
.list { list-style: none; margin: 0; padding: 0; }
.list > li { padding: .625rem .75rem; border-top: 1px solid var(--line); }
.list > li:first-child { border-top: 0; }
.list > li:target { background: var(--hover); }
.row { display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: baseline; }
.row > :first-child { min-width: 4.5rem; }
.row .grow { flex: 1 1 8rem; }
.words { overflow-wrap: anywhere; }
.mark { color: var(--cut); font-weight: 600; }
.mark.spill { color: var(--spill); }
.bar { display: block; width: 100%; height: .5rem; margin: .25rem 0; }
.bar .room { fill: var(--bar-room); }
.bar .fill { fill: var(--bar); }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
details > summary { cursor: pointer; padding: .625rem .75rem; }
footer { margin-top: 2.5rem; font-size: .875rem; color: var(--soft); }
@media (max-width: 40rem) {
  body { padding-top: 1rem; }
  .chart { height: 14rem; }
  .facts { grid-template-columns: 1fr 1fr; }
}
@media print { .card, .facts > div { break-inside: avoid; } }
"""

/** Plots, and the looks that `subjectStyles()` gives to stores. Wide plots have room for whole names. */
export const plotStyle = `
.plot {
  padding: 6px 0 26px;
}
.drawing {
  display: block;
  overflow: visible;
}
.drawing text {
  font-size: 11.5px;
  fill: var(--ink);
}
.drawing .tick,
.drawing .between {
  fill: var(--soft);
  font-size: 11px;
}
.drawing .group {
  font-weight: 600;
  font-size: 12.5px;
}
.drawing .value {
  font-weight: 600;
}
.drawing .group,
.drawing .halo {
  paint-order: stroke;
  stroke: var(--ground);
  stroke-width: 4px;
  stroke-linejoin: round;
}
.drawing .end {
  fill: var(--hue);
}
.grid {
  stroke: var(--grid);
}
.reference {
  stroke: var(--ink);
  stroke-width: 1.25;
  stroke-dasharray: 3 3;
}
.range {
  stroke: var(--hue);
  stroke-width: 5;
  opacity: 0.38;
}
.lead {
  fill: none;
  stroke: var(--hue);
  opacity: 0.45;
}
.curve {
  fill: none;
  stroke: var(--hue);
  stroke-width: 2;
  stroke-linejoin: round;
  stroke-linecap: round;
}
.bar {
  fill: var(--hue);
}
.mark {
  fill: var(--hue);
  stroke: var(--hue);
  stroke-width: 1.5;
}
.mark.variant-1,
.mark.variant-3 {
  fill: var(--ground);
}
.card .mark.variant-1,
.card .mark.variant-3 {
  fill: var(--surface);
}
.curve.variant-1 {
  stroke-dasharray: 7 5;
}
.curve.variant-2 {
  stroke-dasharray: 2 5;
}
.curve.variant-3 {
  stroke-dasharray: 9 4 2 4;
}
.bar.variant-1 {
  fill-opacity: 0.72;
}
.bar.variant-2 {
  fill-opacity: 0.5;
}
.bar.variant-3 {
  fill-opacity: 0.32;
}
.hue-0 {
  --hue: var(--hue-0);
}
.hue-1 {
  --hue: var(--hue-1);
}
.hue-2 {
  --hue: var(--hue-2);
}
.hue-3 {
  --hue: var(--hue-3);
}
.hue-4 {
  --hue: var(--hue-4);
}
.hue-5 {
  --hue: var(--hue-5);
}
.forest {
  padding-left: 126px;
  padding-right: 52px;
}
.bars {
  padding-left: 126px;
  padding-right: 64px;
}
.curves {
  padding-left: 54px;
  padding-right: 126px;
}
.outset {
  transform: translateX(-126px);
}
.curves .tick {
  font-size: 10.5px;
}
.if-wide,
.between {
  display: none;
}
@container (min-width: 480px) {
  .forest {
    padding-left: 196px;
    padding-right: 142px;
  }
  .bars {
    padding-left: 196px;
    padding-right: 80px;
  }
  .curves {
    padding-left: 58px;
    padding-right: 206px;
  }
  .curves .tick {
    font-size: 11px;
  }
  .outset {
    transform: translateX(-196px);
  }
  .if-wide,
  .between {
    display: inline;
  }
  .if-narrow {
    display: none;
  }
}
`;

// The two pictures of the decision: who competes (routing plane), and explained, joined or new (birth plane).
import { branches } from '../branches.js';
import { compact, fixed } from '../format.js';
import { selection, toggle } from '../selection.js';
import { theme } from '../theme.js';
import { axis, grid, lines, mount, thresholdLine, tooltip } from './chart.js';
import { sampleTooltip } from './sample_tooltip.js';

// Lowest and highest finite value, with some air, and with what else must be in sight.
function range(values, also = []) {
  let low = Infinity;
  let high = -Infinity;
  for (const set of [values, also]) {
    for (const value of set) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const air = 0.04 * (high - low || 1);
  return [low - air, high + air];
}

// A place between 0 and 1 that depends on the sample alone: spreads points that have no height of their own.
const scatterPlace = (n) => (n * 0.6180339887498949) % 1;

// One series per branch, then the highlighted category and rings around first occurrences on top of them.
function pointSeries(data, place, keep, axes = {}) {
  const colours = theme();
  const points = data.points;
  const chosen = selection();
  const groups = branches.map(() => []);
  const marked = [];
  const rings = [];
  for (let row = 0; row < points.count; ++row) {
    if (!keep(row)) continue;
    const item = [...place(row), row];
    groups[points.branch[row]].push(item);
    if (points.category[row] === chosen) marked.push(item);
    if (points.first[row]) rings.push(item);
  }
  const base = { type: 'scatter', progressive: 0, encode: { x: 0, y: 1 }, ...axes };
  const series = branches.map((branch, i) => ({
    ...base, name: branch.key, data: groups[i], symbol: branch.symbol, symbolSize: i >= 2 ? 8 : 5, z: 2 + i,
    itemStyle: { color: colours.branch[i], opacity: chosen === null ? (i >= 2 ? 0.85 : 0.5) : 0.12 },
  }));
  series.push({
    ...base, name: 'first', data: rings, silent: true, symbol: 'circle', symbolSize: 11, z: 7,
    itemStyle: { color: 'transparent', borderColor: colours.ring, borderWidth: 1.1, opacity: chosen === null ? 0.8 : 0.15 },
  });
  if (chosen !== null) {
    series.push({
      ...base, name: 'highlight', data: marked, symbol: 'circle', symbolSize: 10, z: 9,
      itemStyle: { color: colours.accent, borderColor: colours.card, borderWidth: 1.2, opacity: 0.95 },
    });
  }
  return series;
}

// Zones lie below the points, their names and the thresholds above them.
const frame = (areas, marks, axes = {}) => {
  const base = { type: 'scatter', data: [], silent: true, ...axes };
  const named = areas.filter(([from]) => from.name).map(([from, to]) => [{ ...from, itemStyle: { color: 'transparent' } }, to]);
  const bare = areas.map(([from, to]) => [{ ...from, label: { show: false } }, to]);
  return [
    { ...base, markArea: { silent: true, animation: false, z: 0, data: bare } },
    { ...base, markArea: { silent: true, animation: false, z: 8, data: named }, markLine: { ...lines(marks), z: 8 } },
  ];
};

function zone(from, to, colour, name, position = 'insideTopLeft') {
  const colours = theme();
  const label = { formatter: name, position, color: colours.text, fontSize: 12, fontWeight: 600, textBorderColor: colours.card, textBorderWidth: 3 };
  return [{ coord: from, name, itemStyle: { color: colour }, label }, { coord: to }];
}

const clickPoint = (data) => (event) => {
  if (Array.isArray(event.value)) toggle(data.points.category[event.value[2]]);
};
const pointTooltip = (data) => tooltip('item', (item) => (Array.isArray(item.value) ? sampleTooltip(data, item.value[2]) : ''));

export function routingPlane(data, box) {
  const points = data.points;
  const model = data.model;
  const routing = model && model.options.routing;
  const [x0, x1] = range(points.top_cosine, routing ? [model.tau_lo] : []);
  const [, y1] = range(points.margin, routing ? [model.hi.value] : []);
  mount('routing', box, () => {
    const colours = theme();
    const series = pointSeries(data, (row) => [points.top_cosine[row], points.margin[row]], (row) => Number.isFinite(points.margin[row]));
    if (routing) {
      const hi = model.hi.value;
      const lo = model.tau_lo;
      const areas = [zone([x0, y1], [x1, hi], colours.zone[0], 'Known classes only'), zone([lo, hi], [x1, 0], colours.zone[2], 'All compete', 'insideBottomRight')];
      if (lo > x0) areas.push(zone([x0, hi], [lo, 0], colours.zone[1], lo - x0 > 0.1 * (x1 - x0) ? 'Categories\nonly' : '', 'insideBottomLeft'));
      series.unshift(...frame(areas, [
        thresholdLine({ yAxis: hi }, `τ hi  ${compact(hi)}`),
        [thresholdLine({ coord: [lo, hi] }, ''), { coord: [lo, 0] }],
      ]));
    }
    return {
      grid: grid({ top: 30 }),
      xAxis: axis('best cosine with a known class', { min: x0, max: x1, axisLabel: { formatter: (v) => fixed(v, 2), color: colours.muted, fontSize: 11, showMinLabel: false, showMaxLabel: false } }),
      yAxis: axis('lead over the second best (margin)', { vertical: true, min: 0, max: y1, axisLabel: { formatter: (v) => fixed(v, 2), color: colours.muted, fontSize: 11, showMaxLabel: false } }),
      tooltip: pointTooltip(data),
      series,
    };
  }, { onClick: clickPoint(data) });
}

// Above: samples for which joining a category was considered, with both scores. Below: the others, along the birth score
// alone; their height means nothing.
export function birthPlane(data, box) {
  const points = data.points;
  const model = data.model;
  const considered = (row) => Number.isFinite(points.attach_score[row]);
  const tested = (row) => Number.isFinite(points.birth_score[row]);
  const shift = points.shift;
  const start = model ? model.tau_birth_sup + shift : null;
  const last = data.stream.tau_birth + shift;
  const lowest = data.stream.lowest_tau_birth + shift;
  const create = model ? model.create.value + shift : null;
  const rows = [...points.birth_score.keys()];
  const upper = rows.filter(considered);
  const [x0, right] = range(upper.map((row) => points.birth_score[row]), [start ?? last, lowest]);
  const edge = start ?? last;
  const x1 = Math.max(right, edge + 0.25 * (edge - x0));
  const [bottom, top] = range(upper.map((row) => points.attach_score[row]), [create ?? NaN]);
  // Room for the names of the regions.
  const y0 = bottom - 0.08 * (top - bottom);
  const y1 = create === null ? top : Math.max(top, create + 0.16 * (create - y0));
  const [s0, s1] = range(rows.map((row) => points.birth_score[row]), [edge, lowest]);
  const moved = start !== null && start - lowest > 1e-6;
  mount('birth', box, () => {
    const colours = theme();
    const label = (v) => fixed(v, 2);
    const small = { color: colours.muted, fontSize: 11, formatter: label, showMinLabel: false, showMaxLabel: false };
    const birthLines = (named) => {
      const marks = [thresholdLine({ xAxis: edge }, named ? `τ birth${moved ? ' at the start' : ''}  ${compact(edge)}` : '', { position: 'end', align: edge - x0 > 0.6 * (x1 - x0) ? 'right' : 'center' })];
      if (moved) marks.push(thresholdLine({ xAxis: lowest }, '', { type: [2, 3] }));
      return marks;
    };
    const above = [zone([edge, y1], [x1, y0], colours.zone[2], 'Explained', 'insideBottomRight')];
    const marks = birthLines(true);
    if (create !== null) {
      above.push(zone([x0, y1], [edge, create], colours.zone[3], 'Attach'), zone([x0, create], [edge, y0], colours.zone[1], 'Create', 'insideBottomLeft'));
      marks.push(thresholdLine({ yAxis: create }, `τ create  ${compact(create)}`, { position: 'insideEndTop' }));
    }
    const second = { xAxisIndex: 1, yAxisIndex: 1 };
    return {
      grid: [{ left: 54, right: 12, top: 34, bottom: 140 }, { left: 54, right: 12, bottom: 44, height: 62 }],
      xAxis: [
        axis('', { min: x0, max: x1, axisLabel: small }),
        axis('birth score: best cosine among the candidates' + (model && model.options.temperature !== 1 ? ' / T' : ''), { gridIndex: 1, min: s0, max: s1, axisLabel: small }),
      ],
      yAxis: [
        axis('attach score', { vertical: true, min: y0, max: y1, axisLabel: { color: colours.muted, fontSize: 11, showMinLabel: false, showMaxLabel: false, formatter: (v) => fixed(v, 0) } }),
        axis('', { gridIndex: 1, vertical: true, min: 0, max: 1, splitLine: { show: false }, axisLabel: { show: false } }),
      ],
      tooltip: pointTooltip(data),
      series: [
        ...frame(above, marks),
        ...frame([zone([edge, 1], [s1, 0], colours.zone[2], ''), zone([s0, 1], [edge, 0], colours.zone[1], '')], birthLines(false), second),
        ...pointSeries(data, (row) => [points.birth_score[row], points.attach_score[row]], considered),
        ...pointSeries(data, (row) => [points.birth_score[row], 0.06 + 0.88 * scatterPlace(points.sequence[row])], (row) => tested(row) && !considered(row), second),
      ],
    };
  }, { onClick: clickPoint(data) });
}

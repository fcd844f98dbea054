// What the two planes of the decision share: points by how they were decided, highlighted and first ones, zones and thresholds.
import { selection, toggle } from '../selection.js';
import { theme } from '../../shared/theme';
import { lines, tooltip } from '../../shared/chart';
import { sampleTooltip } from './sample_tooltip.js';

// Lowest and highest finite value, with some air, and with what else must be in sight.
export function range(values, also = []) {
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

// One series per way of deciding, then the highlighted category and rings around first occurrences on top of them.
export function pointSeries(data, place, keep, axes = {}) {
  const colours = theme();
  const points = data.points;
  const chosen = selection();
  const groups = data.ways.map(() => []);
  const marked = [];
  const rings = [];
  for (let row = 0; row < points.count; ++row) {
    if (!keep(row)) continue;
    const item = [...place(row), row];
    groups[points.way[row]].push(item);
    if (points.category[row] === chosen) marked.push(item);
    if (points.first[row]) rings.push(item);
  }
  const base = { type: 'scatter', progressive: 0, encode: { x: 0, y: 1 }, ...axes };
  const series = data.ways.map((way, i) => ({
    ...base,
    name: way.key,
    data: groups[i],
    symbol: way.symbol,
    symbolSize: i >= 2 ? 8 : 5,
    z: 2 + i,
    itemStyle: {
      color: colours.branch[i],
      opacity: chosen === null ? (i >= 2 ? 0.85 : 0.5) : 0.12,
    },
  }));
  series.push({
    ...base,
    name: 'first',
    data: rings,
    silent: true,
    symbol: 'circle',
    symbolSize: 11,
    z: 7,
    itemStyle: {
      color: 'transparent',
      borderColor: colours.ring,
      borderWidth: 1.1,
      opacity: chosen === null ? 0.8 : 0.15,
    },
  });
  if (chosen !== null) {
    series.push({
      ...base,
      name: 'highlight',
      data: marked,
      symbol: 'circle',
      symbolSize: 10,
      z: 9,
      itemStyle: {
        color: colours.accent,
        borderColor: colours.card,
        borderWidth: 1.2,
        opacity: 0.95,
      },
    });
  }
  return series;
}

// Zones lie below the points, their names and the thresholds above them.
export const frame = (areas, marks, axes = {}) => {
  const base = { type: 'scatter', data: [], silent: true, ...axes };
  const named = areas
    .filter(([from]) => from.name)
    .map(([from, to]) => [{ ...from, itemStyle: { color: 'transparent' } }, to]);
  const bare = areas.map(([from, to]) => [{ ...from, label: { show: false } }, to]);
  return [
    { ...base, markArea: { silent: true, animation: false, z: 0, data: bare } },
    {
      ...base,
      markArea: { silent: true, animation: false, z: 8, data: named },
      markLine: { ...lines(marks), z: 8 },
    },
  ];
};

export function zone(from, to, colour, name, position = 'insideTopLeft') {
  const colours = theme();
  const label = {
    formatter: name,
    position,
    color: colours.text,
    fontSize: 12,
    fontWeight: 600,
    textBorderColor: colours.card,
    textBorderWidth: 3,
  };
  return [{ coord: from, name, itemStyle: { color: colour }, label }, { coord: to }];
}

export const clickPoint = (data) => (event) => {
  if (Array.isArray(event.value)) toggle(data.points.category[event.value[2]]);
};
export const pointTooltip = (data) =>
  tooltip('item', (item) => (Array.isArray(item.value) ? sampleTooltip(data, item.value[2]) : ''));

// Distributions: calibration scores on both sides of a threshold, and the sizes of the categories.
import { h } from '../../shared/dom';
import { compact, fixed, integer, percent } from '../../shared/format';
import { selection, toggle } from '../selection.js';
import { theme } from '../../shared/theme';
import { axis, grid, lines, thresholdLine, tooltip } from '../../shared/chart';
import { mount } from './highlighted.js';

const tip = (heading, rows) =>
  h(
    'div',
    { class: 'tip' },
    h('b', {}, heading),
    rows.map(([name, value]) =>
      h('div', { class: 'tip-row' }, h('span', {}, name), h('span', {}, value)),
    ),
  );

// Positives, negatives and what the stream met, each as a share of its own group.
export function scoreHistogram(name, histogram, label, box) {
  const { low, width, positives, negatives, stream, threshold } = histogram;
  const total = (counts) => counts.reduce((a, b) => a + b, 0);
  const share = (counts) => {
    const sum = total(counts) || 1;
    return counts.map((count, i) => [low + (i + 0.5) * width, count / sum]);
  };
  const met = total(stream) > 0;
  const digits = width < 0.05 ? 2 : width < 1 ? 1 : 0;
  mount(
    name,
    box,
    () => {
      const colours = theme();
      const bars = (key, counts, colour) => ({
        name: key,
        type: 'custom',
        data: share(counts),
        silent: true,
        encode: { x: 0, y: 1 },
        renderItem: (params, api) => {
          const [x, y] = api.coord([api.value(0) - width / 2, api.value(1)]);
          const [x2, base] = api.coord([api.value(0) + width / 2, 0]);
          return {
            type: 'rect',
            shape: { x, y, width: Math.max(1, x2 - x - 0.5), height: base - y },
            style: { fill: colour, opacity: 0.62 },
          };
        },
      });
      const series = [
        bars('negatives', negatives, colours.negative),
        bars('positives', positives, colours.positive),
      ];
      series.push({
        name: 'stream',
        type: 'line',
        step: 'middle',
        showSymbol: false,
        data: met ? share(stream) : share(positives).map(([x]) => [x, null]),
        z: 5,
        lineStyle: { color: colours.text, width: 1.3 },
        itemStyle: { color: colours.text },
        emphasis: { disabled: true },
        markLine: lines([
          thresholdLine({ xAxis: threshold }, `τ ${compact(threshold)}`, { position: 'end' }),
        ]),
      });
      return {
        grid: grid({ top: 26 }),
        xAxis: axis(label, {
          min: low,
          max: low + width * positives.length,
          axisLabel: {
            color: colours.muted,
            fontSize: 11,
            hideOverlap: true,
            showMinLabel: false,
            showMaxLabel: false,
            formatter: (v) => fixed(v, digits),
          },
        }),
        yAxis: axis('', {
          vertical: true,
          min: 0,
          axisLabel: {
            color: colours.muted,
            fontSize: 11,
            formatter: (v) => percent(v, 0),
            showMaxLabel: false,
          },
        }),
        tooltip: tooltip('axis', (items) => {
          const i = items[0]?.dataIndex ?? 0;
          const from = low + i * width;
          const rows = [
            ['should pass', integer(positives[i])],
            ['should not', integer(negatives[i])],
          ];
          if (met) rows.push(['in the stream', integer(stream[i])]);
          return tip(`${fixed(from, digits + 1)} to ${fixed(from + width, digits + 1)}`, rows);
        }),
        series,
      };
    },
    { highlights: false },
  );
}

// One bar per category, largest first.
export function categorySizes(data, box) {
  const rows = data.memory.categories;
  const sizes = rows.map((row) => row.size);
  const largest = Math.max(1, ...sizes);
  const log = largest > 60 * (sizes[Math.floor(sizes.length / 2)] || 1);
  const mature = data.model?.mature_size;
  mount(
    'sizes',
    box,
    () => {
      const colours = theme();
      const chosen = selection();
      const marks = mature ? [thresholdLine({ yAxis: mature }, `mature from ${mature}`)] : [];
      return {
        grid: grid({ top: 34 }),
        xAxis: {
          ...axis('categories, largest first'),
          type: 'category',
          data: rows.map((row, i) => i + 1),
          axisLabel: { color: colours.muted, fontSize: 11, hideOverlap: true },
        },
        yAxis: axis(log ? 'samples (logarithmic)' : 'samples', {
          vertical: true,
          type: log ? 'log' : 'value',
          min: log ? 0.7 : 0,
          axisLabel: {
            color: colours.muted,
            fontSize: 11,
            formatter: (v) => (v < 1 ? '' : integer(v)),
          },
        }),
        tooltip: tooltip(
          'axis',
          (items) => {
            const row = rows[items[0]?.dataIndex ?? 0];
            const lines = [['samples', integer(row.size)]];
            if (row.birth !== undefined) lines.push(['born at sample', integer(row.birth)]);
            if (row.truth !== undefined)
              lines.push([
                'mostly',
                `${data.memory.truth_names[row.truth]} (${percent(row.truth_samples / row.judged, 0)})`,
              ]);
            return tip(row.name, lines);
          },
          { axisPointer: { type: 'shadow', shadowStyle: { color: colours.line, opacity: 0.5 } } },
        ),
        series: [
          {
            type: 'bar',
            barCategoryGap: rows.length > 150 ? '0%' : '15%',
            barMinWidth: 1,
            barMaxWidth: 36,
            markLine: lines(marks),
            data: rows.map((row) => ({
              value: row.size,
              id: row.id,
              itemStyle: {
                color: row.id === chosen ? colours.accent : colours.branch[3],
                opacity: chosen === null || row.id === chosen ? 0.85 : 0.25,
              },
            })),
          },
        ],
      };
    },
    { onClick: (event) => event.data && toggle(event.data.id) },
  );
}

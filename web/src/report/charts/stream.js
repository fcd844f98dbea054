// Curves along the stream: categories and eta, the birth boundary, how decisions came about, and what they cost.
import { placesOf } from '../data.js';
import { compact, duration, fixed, integer } from '../../shared/format';
import { selection } from '../selection.js';
import { theme } from '../../shared/theme';
import { axis, grid, lines, rug, thresholdLine, tooltip } from '../../shared/chart';
import { namedValues } from '../../shared/parts';
import { line, pairs, sharesOption } from '../../shared/stream_charts';
import { mount } from './highlighted.js';

const streamAxis = (data, extra = {}) =>
  axis('sample', {
    min: data.stream.first,
    minInterval: 1,
    max: data.stream.first + data.stream.samples,
    axisLabel: {
      color: theme().muted,
      fontSize: 11,
      hideOverlap: true,
      formatter: (v) => integer(Math.round(v)),
      showMaxLabel: false,
    },
    ...extra,
  });

// Where a bin begins: arrival numbers continue if a stream was resumed.
const startOf = (data, end, i) => (i ? end[i - 1] : data.stream.first);

const rugAt = (data, height, axes) =>
  rug(
    placesOf(data, selection()).map((i) => [i, height]),
    axes,
  );

export function categoriesOverStream(data, box) {
  const { sequence, categories, novel_classes: novel, eta } = data.series;
  mount('categories', box, () => {
    const colours = theme();
    const series = [
      line('categories', colours.branch[3], pairs(sequence, categories), { step: 'end' }),
    ];
    if (novel)
      series.push(
        line('novel classes', colours.muted, pairs(sequence, novel), {
          step: 'end',
          lineStyle: { color: colours.muted, width: 1.4, type: [5, 3] },
        }),
      );
    if (eta) series.push(line('eta', colours.positive, pairs(sequence, eta), { yAxisIndex: 1 }));
    series.push(rugAt(data, 0));
    return {
      grid: grid({ top: 34 }),
      xAxis: streamAxis(data),
      yAxis: [
        axis('count', { vertical: true, min: 0, minInterval: 1 }),
        axis('eta', {
          vertical: true,
          min: 0,
          max: 1,
          show: Boolean(eta),
          splitLine: { show: false },
          nameTextStyle: { color: colours.positive, align: 'right', fontSize: 12 },
        }),
      ],
      tooltip: tooltip('axis', (items) => {
        const i = items[0]?.dataIndex ?? 0;
        const rows = [['categories', integer(categories[i])]];
        if (novel) rows.push(['novel classes seen', integer(novel[i])]);
        if (eta) rows.push(['eta', fixed(eta[i], 3)]);
        return namedValues(`After sample ${integer(sequence[i])}`, rows);
      }),
      series,
    };
  });
}

export function boundaryOverStream(data, box) {
  const { sequence, tau_birth: tau } = data.series;
  const shift = data.points.shift;
  const start = data.model ? data.model.tau_birth_sup + shift : tau[0];
  const lowest = Math.min(start, data.stream.lowest_tau_birth + shift, ...tau);
  const span = Math.max(start - lowest, 0.02 * Math.max(1, Math.abs(start)));
  const low = lowest - 0.25 * span;
  const high = start + 0.25 * span;
  mount('boundary', box, () => {
    const colours = theme();
    const number = (v) => fixed(v, span < 0.1 ? 3 : 2);
    return {
      grid: grid({ top: 34 }),
      xAxis: streamAxis(data),
      yAxis: axis(shift ? 'birth boundary, as a cosine' : 'birth boundary', {
        vertical: true,
        min: low,
        max: high,
        axisLabel: {
          color: colours.muted,
          fontSize: 11,
          formatter: number,
          showMinLabel: false,
          showMaxLabel: false,
        },
      }),
      tooltip: tooltip('axis', (items) => {
        const i = items[0]?.dataIndex ?? 0;
        return namedValues(`After sample ${integer(sequence[i])}`, [
          ['τ birth', compact(tau[i])],
          ...(shift ? [['with −log p0', fixed(tau[i] - shift, 3)]] : []),
        ]);
      }),
      series: [
        line('tau birth', colours.branch[3], pairs(sequence, tau), {
          step: 'end',
          markLine: lines([thresholdLine({ yAxis: start }, 'where the support set put it')]),
        }),
        rugAt(data, low),
      ],
    };
  });
}

export function sharesOverStream(data, box) {
  const { end, counts } = data.series.shares;
  const starts = end.map((e, i) => startOf(data, end, i));
  const bins = { starts, ends: end, counts, ways: data.ways };
  mount('shares', box, () => {
    const option = sharesOption(
      bins,
      streamAxis(data),
      selection() === null ? 0.9 : 0.35,
      (i) => `Samples ${integer(starts[i])} to ${integer(end[i] - 1)}`,
    );
    return { ...option, series: [...option.series, rugAt(data, 0)] };
  });
}

export function latencyOverStream(data, box) {
  const { end, p10, p50, p90, p99 } = data.series.latency;
  const middle = end.map((e, i) => (e + startOf(data, end, i)) / 2);
  const positive = Math.min(...p10) > 0;
  const log = positive && Math.max(...p99) > 12 * Math.min(...p50);
  const low = log ? 10 ** Math.floor(Math.log10(Math.min(...p10))) : 0;
  mount('latency', box, () => {
    const colours = theme();
    const band = {
      name: 'p10 to p90',
      type: 'custom',
      silent: true,
      data: [[middle[0], p10[0]]],
      z: 1,
      renderItem: (params, api) => ({
        type: 'polygon',
        shape: {
          points: [
            ...middle.map((x, i) => api.coord([x, p90[i]])),
            ...middle.map((x, i) => api.coord([x, p10[i]])).reverse(),
          ],
        },
        style: { fill: colours.branch[0], opacity: 0.2 },
      }),
    };
    return {
      grid: grid({ top: 34 }),
      xAxis: streamAxis(data),
      yAxis: axis(log ? 'time per decision (logarithmic)' : 'time per decision', {
        vertical: true,
        type: log ? 'log' : 'value',
        min: low,
        axisLabel: { color: colours.muted, fontSize: 11, formatter: (v) => duration(v) },
      }),
      tooltip: tooltip('axis', (items) => {
        const i = items.find((item) => item.seriesName === 'p50')?.dataIndex ?? 0;
        return namedValues(`Samples ${integer(startOf(data, end, i))} to ${integer(end[i] - 1)}`, [
          ['slowest 1% from', duration(p99[i])],
          ['90% within', duration(p90[i])],
          ['median', duration(p50[i])],
          ['fastest 10% within', duration(p10[i])],
        ]);
      }),
      series: [
        band,
        line('p99', colours.branch[3], pairs(middle, p99), {
          lineStyle: { color: colours.branch[3], width: 1.2, type: [4, 3] },
        }),
        line('p50', colours.branch[0], pairs(middle, p50)),
        rugAt(data, low || 0),
      ],
    };
  });
}

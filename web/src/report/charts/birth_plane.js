// Explained, joined or new: birth score against attach score.
//
// Above: samples for which joining a category was considered, with both scores. Below: the others, along the birth score
// alone; their height means nothing.
import { compact, fixed } from '../../shared/format';
import { theme } from '../../shared/theme';
import { axis, thresholdLine } from '../../shared/chart';
import { mount } from './highlighted.js';
import { clickPoint, frame, pointSeries, pointTooltip, range, zone } from './plane.js';

// A place between 0 and 1 that depends on the sample alone: spreads points that have no height of their own.
const scatterPlace = (n) => (n * 0.6180339887498949) % 1;

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
  const [x0, right] = range(
    upper.map((row) => points.birth_score[row]),
    [start ?? last, lowest],
  );
  const edge = start ?? last;
  const x1 = Math.max(right, edge + 0.25 * (edge - x0));
  const [bottom, top] = range(
    upper.map((row) => points.attach_score[row]),
    [create ?? NaN],
  );
  // Room for the names of the regions.
  const y0 = bottom - 0.08 * (top - bottom);
  const y1 = create === null ? top : Math.max(top, create + 0.16 * (create - y0));
  const [s0, s1] = range(
    rows.map((row) => points.birth_score[row]),
    [edge, lowest],
  );
  const moved = start !== null && start - lowest > 1e-6;
  mount(
    'birth',
    box,
    () => {
      const colours = theme();
      const label = (v) => fixed(v, 2);
      const small = {
        color: colours.muted,
        fontSize: 11,
        formatter: label,
        showMinLabel: false,
        showMaxLabel: false,
      };
      const birthLines = (named) => {
        const marks = [
          thresholdLine(
            { xAxis: edge },
            named ? `τ birth${moved ? ' at the start' : ''}  ${compact(edge)}` : '',
            { position: 'end', align: edge - x0 > 0.6 * (x1 - x0) ? 'right' : 'center' },
          ),
        ];
        if (moved) marks.push(thresholdLine({ xAxis: lowest }, '', { type: [2, 3] }));
        return marks;
      };
      const above = [zone([edge, y1], [x1, y0], colours.zone[2], 'Explained', 'insideBottomRight')];
      const marks = birthLines(true);
      if (create !== null) {
        above.push(
          zone([x0, y1], [edge, create], colours.zone[3], 'Attach'),
          zone([x0, create], [edge, y0], colours.zone[1], 'Create', 'insideBottomLeft'),
        );
        marks.push(
          thresholdLine({ yAxis: create }, `τ create  ${compact(create)}`, {
            position: 'insideEndTop',
          }),
        );
      }
      const second = { xAxisIndex: 1, yAxisIndex: 1 };
      return {
        grid: [
          { left: 54, right: 12, top: 34, bottom: 140 },
          { left: 54, right: 12, bottom: 44, height: 62 },
        ],
        xAxis: [
          axis('', { min: x0, max: x1, axisLabel: small }),
          axis(
            'birth score: best cosine among the candidates' +
              (model && model.options.temperature !== 1 ? ' / T' : ''),
            { gridIndex: 1, min: s0, max: s1, axisLabel: small },
          ),
        ],
        yAxis: [
          axis('attach score', {
            vertical: true,
            min: y0,
            max: y1,
            axisLabel: {
              color: colours.muted,
              fontSize: 11,
              showMinLabel: false,
              showMaxLabel: false,
              formatter: (v) => fixed(v, 0),
            },
          }),
          axis('', {
            gridIndex: 1,
            vertical: true,
            min: 0,
            max: 1,
            splitLine: { show: false },
            axisLabel: { show: false },
          }),
        ],
        tooltip: pointTooltip(data),
        series: [
          ...frame(above, marks),
          ...frame(
            [
              zone([edge, 1], [s1, 0], colours.zone[2], ''),
              zone([s0, 1], [edge, 0], colours.zone[1], ''),
            ],
            birthLines(false),
            second,
          ),
          ...pointSeries(
            data,
            (row) => [points.birth_score[row], points.attach_score[row]],
            considered,
          ),
          ...pointSeries(
            data,
            (row) => [points.birth_score[row], 0.06 + 0.88 * scatterPlace(points.sequence[row])],
            (row) => tested(row) && !considered(row),
            second,
          ),
        ],
      };
    },
    { onClick: clickPoint(data) },
  );
}

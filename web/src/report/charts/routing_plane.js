// Who may compete for a sample: best cosine with a known class against its lead over the second best.
import { compact, fixed } from '../../shared/format';
import { theme } from '../../shared/theme';
import { axis, grid, thresholdLine } from '../../shared/chart';
import { mount } from './highlighted.js';
import { clickPoint, frame, pointSeries, pointTooltip, range, zone } from './plane.js';

export function routingPlane(data, box) {
  const points = data.points;
  const model = data.model;
  const routing = model && model.options.routing;
  const [x0, x1] = range(points.top_cosine, routing ? [model.tau_lo] : []);
  const [, y1] = range(points.margin, routing ? [model.hi.value] : []);
  mount(
    'routing',
    box,
    () => {
      const colours = theme();
      const series = pointSeries(
        data,
        (row) => [points.top_cosine[row], points.margin[row]],
        (row) => Number.isFinite(points.margin[row]),
      );
      if (routing) {
        const hi = model.hi.value;
        const lo = model.tau_lo;
        const areas = [
          zone([x0, y1], [x1, hi], colours.zone[0], 'Known classes only'),
          zone([lo, hi], [x1, 0], colours.zone[2], 'All compete', 'insideBottomRight'),
        ];
        if (lo > x0)
          areas.push(
            zone(
              [x0, hi],
              [lo, 0],
              colours.zone[1],
              lo - x0 > 0.1 * (x1 - x0) ? 'Categories\nonly' : '',
              'insideBottomLeft',
            ),
          );
        series.unshift(
          ...frame(areas, [
            thresholdLine({ yAxis: hi }, `τ hi  ${compact(hi)}`),
            [thresholdLine({ coord: [lo, hi] }, ''), { coord: [lo, 0] }],
          ]),
        );
      }
      return {
        grid: grid({ top: 30 }),
        xAxis: axis('best cosine with a known class', {
          min: x0,
          max: x1,
          axisLabel: {
            formatter: (v) => fixed(v, 2),
            color: colours.muted,
            fontSize: 11,
            showMinLabel: false,
            showMaxLabel: false,
          },
        }),
        yAxis: axis('lead over the second best (margin)', {
          vertical: true,
          min: 0,
          max: y1,
          axisLabel: {
            formatter: (v) => fixed(v, 2),
            color: colours.muted,
            fontSize: 11,
            showMaxLabel: false,
          },
        }),
        tooltip: pointTooltip(data),
        series,
      };
    },
    { onClick: clickPoint(data) },
  );
}

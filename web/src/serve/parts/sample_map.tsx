// Samples in the plane, neighbours near each other: as they belong today, with their picture or text under the pointer.
import { useCallback } from 'preact/hooks';
import { axis, charts, tooltip } from '../../shared/chart';
import { h } from '../../shared/dom';
import { integer, plural } from '../../shared/format';
import { theme } from '../../shared/theme';
import { query, streamPath } from '../api/client';
import { cachedPicture, picturePath, wantPicture } from '../api/pictures';
import type { SampleMap, SampleMapPoint } from '../api/generated';
import { useResource } from '../state/resource';
import { go, toSample } from '../state/route';
import { operationVersion } from '../state/stream';
import { Empty, Failed, Loading, sampleText, sampleTitle } from './basics';
import { Plot } from './plot';

const most = 2000;

// What stands under the pointer.
function tip(stream: string, point: SampleMapPoint): HTMLElement {
  const box = h('div', { class: 'tip' }, h('b', {}, point.name));
  if (point.picture) {
    const path = picturePath(stream, point.sequence);
    const image = h('img', { class: 'picture tip-picture', alt: '' }) as HTMLImageElement;
    const cached = cachedPicture(path);
    if (cached) image.src = cached;
    else
      void wantPicture(path, new AbortController().signal).then((url) => {
        if (url) image.src = url;
      });
    box.append(image);
  }
  const text = sampleText(point);
  if (text) box.append(h('p', { class: 'tip-text' }, text));
  box.append(h('p', { class: 'muted' }, sampleTitle(point)));
  return box;
}

// Categories of the same kind are told apart by hue, so that neighbours that differ can be seen.
export const hueOf = (category: number): number => (category * 137.508) % 360;

const isKnown = (point: SampleMapPoint): boolean => point.verdict === 'known';

// Where the name of each large category stands: the middle of its points.
export function labelsOf(points: SampleMapPoint[], most: number) {
  const groups = new Map<number, SampleMapPoint[]>();
  for (const point of points)
    groups.set(point.category, [...(groups.get(point.category) ?? []), point]);
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, most)
    .map((group) => ({
      name: group[0].name,
      category: group[0].category,
      known: isKnown(group[0]),
      x: middle(group.map(({ x }) => x)),
      y: middle(group.map(({ y }) => y)),
    }));
}

function zoomed(which: number): { start?: number; end?: number } {
  const option = charts.get('samples')?.getOption() as
    { dataZoom?: { start: number; end: number }[] } | undefined;
  const zoom = option?.dataZoom?.[which];
  return zoom ? { start: zoom.start, end: zoom.end } : {};
}

export function SampleMapPlot(props: {
  stream: string;
  fits: (point: { name: string; category: number; known: boolean }) => boolean;
}) {
  const { stream, fits } = props;
  const answer = useResource<SampleMap>(
    streamPath(stream, '/map/samples') + query({ limit: most }),
    operationVersion.value,
  );
  const map = answer.value;
  const shown = (point: SampleMapPoint) => fits({ ...point, known: isKnown(point) });
  const option = useCallback(() => {
    const colours = theme();
    const plain = axis('', { show: false, min: -1.05, max: 1.05 });
    const light = colours.dark ? 62 : 46;
    return {
      grid: { left: 0, right: 0, top: 0, bottom: 0 },
      xAxis: plain,
      yAxis: plain,
      dataZoom: [
        { type: 'inside', xAxisIndex: 0, filterMode: 'none', minSpan: 2, ...zoomed(0) },
        { type: 'inside', yAxisIndex: 0, filterMode: 'none', minSpan: 2, ...zoomed(1) },
      ],
      tooltip: tooltip('item', (item) => {
        const point = item.data?.point as SampleMapPoint | undefined;
        return point ? tip(stream, point) : '';
      }),
      series: [
        {
          type: 'scatter',
          progressive: 2000,
          data: (map?.points ?? []).map((point) => ({
            value: [point.x, point.y],
            point,
            silent: !shown(point),
            symbol: isKnown(point) ? 'circle' : 'roundRect',
            symbolSize: 8,
            itemStyle: {
              color: `hsl(${hueOf(point.category).toFixed(0)},62%,${light}%)`,
              opacity: shown(point) ? 0.75 : 0.06,
            },
          })),
        },
        {
          type: 'scatter',
          silent: true,
          symbolSize: 0,
          data: labelsOf(map?.points ?? [], 40)
            .filter(fits)
            .map(({ name, x, y }) => ({
              value: [x, y],
              label: {
                show: true,
                formatter: () => name,
                color: colours.text,
                fontSize: 12,
                fontWeight: 600,
                textBorderColor: colours.card,
                textBorderWidth: 3,
              },
            })),
          labelLayout: { hideOverlap: true },
        },
      ],
    };
  }, [map, fits, stream]);
  if (!map) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="the samples" />
    );
  }
  if (!map.points.length)
    return (
      <Empty title="Nothing to place">
        <p>This stream has no samples yet, or keeps no embeddings.</p>
      </Empty>
    );
  return (
    <>
      <div class="panel map">
        <Plot
          name="samples"
          label={`Map of ${plural(map.points.length, 'sample')}`}
          option={option}
          onClick={(event) => {
            const point = event.data?.point as SampleMapPoint | undefined;
            if (point) go(toSample(stream, point.sequence));
          }}
        />
      </div>
      <p class="thinned">
        {map.samples > map.points.length
          ? `${integer(map.points.length)} of ${integer(map.samples)} samples, evenly along the stream. `
          : ''}
        Samples that look alike are near each other; far distances say little.
      </p>
    </>
  );
}

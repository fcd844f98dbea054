// All prototypes in two dimensions: near each other if they point alike. Sizes as areas, kinds as colours; zoom, hover, click, and
// a lasso that picks. Or some of the samples (sample_map.tsx).
import { useCallback, useState } from 'preact/hooks';
import { DataZoomInsideComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { axis, charts, tooltip } from '../../shared/chart';
import { h } from '../../shared/dom';
import { integer, percent, plural } from '../../shared/format';
import { theme } from '../../shared/theme';
import { mayOperate, streamPath } from '../api/client';
import type { MapPoint, PrototypeMap } from '../api/generated';
import { Choice, Empty, Failed, Loading } from '../parts/basics';
import { PickedBar } from '../parts/picked_bar';
import { inside, lassoOption, useLasso } from '../parts/lasso';
import { Plot } from '../parts/plot';
import { SampleMapPlot } from '../parts/sample_map';
import { addPicked, picked, togglePicked } from '../state/actions';
import { useCalm, useResource } from '../state/resource';
import { go, toCategory } from '../state/route';
import { operationVersion, version } from '../state/stream';

use([DataZoomInsideComponent]);

// Areas by size, none too small to hit, none that hides the rest: if there are thousands, all are smaller.
export const radius = (size: number, largest: number, points = 1): number =>
  (6 + 30 * Math.sqrt(Math.max(0, size) / Math.max(1, largest))) *
  Math.max(0.3, Math.min(1, Math.sqrt(400 / points)));

const kinds: [string, string][] = [
  ['all', 'all'],
  ['discovered', 'discovered'],
  ['known', 'known classes'],
];

// Where the reader has zoomed to: new samples draw the map anew and must not move it.
function zoomed(which: number): { start?: number; end?: number } {
  const option = charts.get('map')?.getOption() as
    { dataZoom?: { start: number; end: number }[] } | undefined;
  const zoom = option?.dataZoom?.[which];
  return zoom ? { start: zoom.start, end: zoom.end } : {};
}

// The names of the largest, as many as can be read.
const named = 40;

export function MapScreen(props: { stream: string }) {
  const { stream } = props;
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState('all');
  const [of, setOf] = useState<'categories' | 'samples'>('categories');
  const [lasso, setLasso] = useState(false);
  const answer = useResource<PrototypeMap>(
    streamPath(stream, '/map'),
    `${useCalm(version, 5000)} ${operationVersion.value}`,
  );
  const map = answer.value;
  const chosen = picked.value;
  const wanted = search.trim().toLowerCase();
  const fits = useCallback(
    (point: { name: string; category: number; known: boolean }) =>
      (kind === 'all' || (kind === 'known') === point.known) &&
      (!wanted || point.name.toLowerCase().includes(wanted) || String(point.category) === wanted),
    [kind, wanted],
  );
  const asPicked = (point: MapPoint) => ({
    id: point.category,
    name: point.name,
    size: point.size,
    kind: point.known ? ('known' as const) : ('discovered' as const),
  });
  useLasso('map', lasso, (line) => {
    addPicked(
      (map?.points ?? []).filter((one) => fits(one) && inside(line, [one.x, one.y])).map(asPicked),
    );
    setLasso(false);
  });
  const option = useCallback(() => {
    const colours = theme();
    const all = map?.points ?? [];
    const largest = all.reduce((most, point) => Math.max(most, point.size), 1);
    const biggest = new Set(
      [...all]
        .filter(fits)
        .sort((a, b) => b.size - a.size)
        .slice(0, named)
        .map((point) => point.prototype),
    );
    const plain = (extra: object) =>
      axis('', {
        show: false,
        min: -1.08,
        max: 1.08,
        ...extra,
      });
    return {
      grid: { left: 0, right: 0, top: 0, bottom: 0 },
      xAxis: plain({}),
      yAxis: plain({}),
      brush: lassoOption,
      dataZoom: [
        { type: 'inside', xAxisIndex: 0, filterMode: 'none', minSpan: 2, ...zoomed(0) },
        { type: 'inside', yAxisIndex: 0, filterMode: 'none', minSpan: 2, ...zoomed(1) },
      ],
      tooltip: tooltip('item', (item) => {
        const point = item.data?.point as MapPoint | undefined;
        if (!point) return '';
        return h(
          'div',
          { class: 'tip' },
          h('b', {}, point.name),
          h(
            'p',
            {},
            `${point.known ? 'known class' : 'discovered'}, ${plural(point.size, 'sample')}`,
          ),
          h(
            'p',
            { class: 'muted' },
            mayOperate() ? 'click opens, Shift-click picks' : 'click opens',
          ),
        );
      }),
      series: [
        {
          type: 'scatter',
          progressive: 2000,
          data: all.map((point) => {
            const shown = fits(point);
            const mine = chosen.has(point.category);
            return {
              value: [point.x, point.y],
              point,
              symbolSize: radius(point.size, largest, all.length),
              symbol: point.known ? 'circle' : 'roundRect',
              silent: !shown,
              itemStyle: {
                color: mine ? colours.accent : point.known ? colours.branch[0] : colours.branch[1],
                opacity: shown ? 0.62 : 0.05,
                borderColor: mine ? colours.ring : colours.card,
                borderWidth: mine ? 2 : 1,
              },
              label: {
                show: shown && (mine || biggest.has(point.prototype)),
                formatter: () => point.name,
                position: 'right',
                color: colours.text,
                fontSize: 11,
                textBorderColor: colours.page,
                textBorderWidth: 3,
              },
            };
          }),
          labelLayout: { hideOverlap: true },
        },
      ],
    };
  }, [map, fits, chosen]);
  if (!map) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="the map" />
    );
  }
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          class="field"
          data-search
          placeholder="Highlight by name ( / )"
          aria-label="Highlight prototypes by name"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Choice label="Show" value={kind} options={kinds} onChange={setKind} />
        <div class="switch" role="group" aria-label="What is drawn">
          {(['categories', 'samples'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="quiet"
              aria-pressed={of === one}
              onClick={() => setOf(one)}
            >
              {one === 'categories' ? 'Categories' : 'Samples'}
            </button>
          ))}
        </div>
        {of === 'categories' && mayOperate() && (
          <button
            type="button"
            class="quiet"
            aria-pressed={lasso}
            title="Draw around categories to pick them"
            onClick={() => setLasso(!lasso)}
          >
            Lasso
          </button>
        )}
        <span class="legend">
          <span>
            <i class={`mark circle ${of === 'categories' ? 'b0' : ''}`} /> known
          </span>
          <span>
            <i class={`mark ${of === 'categories' ? 'b1' : ''}`} /> discovered
          </span>
        </span>
        {of === 'categories' && (
          <span class="note count">
            {plural(map.points.length, 'prototype')}
          {map.explained.length > 1 &&
            `; the plane shows ${percent(map.explained[0] + map.explained[1], 0)} of how they differ`}
          </span>
        )}
      </div>
      {of === 'samples' ? (
        <SampleMapPlot stream={stream} fits={fits} />
      ) : map.points.length ? (
        <div class="panel map">
          <Plot
            name="map"
            label={`Map of ${integer(map.points.length)} prototypes`}
            option={option}
            onClick={(event) => {
              const point = event.data?.point as MapPoint | undefined;
              if (!point) return;
              if (event.event?.event?.shiftKey && mayOperate())
                togglePicked(asPicked(point));
              else go(toCategory(stream, point.category));
            }}
          />
        </div>
      ) : (
        <Empty title="Nothing to place">
          <p>This method has no directions to draw.</p>
        </Empty>
      )}
      <PickedBar stream={stream} />
    </>
  );
}

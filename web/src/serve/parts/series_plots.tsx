// Charts along the whole stream, from the server's series.
import { useCallback } from 'preact/hooks';
import { axis, grid, tooltip } from '../../shared/chart';
import { axisNumbers, compact, integer, plural } from '../../shared/format';
import { namedValues } from '../../shared/parts';
import { line, pairs, sharesOption } from '../../shared/stream_charts';
import { theme } from '../../shared/theme';
import { branches, verdicts, type Way } from '../../shared/ways';
import type { EvidenceField, Series, Step, StreamDetail } from '../api/generated';
import { sentenceOf } from './basics';
import { Figure, Plot } from './plot';

// The method's own steps if it has them, else the verdicts; the order gives the colour.
export function waysOf(series: Series, evidence: EvidenceField[]) {
  const own = evidence.find((field) => field.name === 'branch' && field.choices.length);
  const steps = series.steps.some((step) => step.choices?.branch);
  if (own && steps) {
    return {
      ways: branches,
      count: (step: Step) => branches.map((way) => step.choices.branch?.[way.key] ?? 0),
    };
  }
  // Created ones have the colour that they have among the branches.
  const ways: Way[] = [verdicts[0], verdicts[1], verdicts[3], verdicts[2]];
  return {
    ways,
    count: (step: Step) => ways.map((way) => step.verdicts[way.key as keyof Step['verdicts']] ?? 0),
  };
}
const sampleAxis = (series: Series) =>
  axis('sample', {
    min: 0,
    max: series.samples,
    minInterval: 1,
    axisLabel: {
      color: theme().muted,
      fontSize: 11,
      hideOverlap: true,
      formatter: (v: number) => integer(Math.round(v)),
      showMaxLabel: false,
    },
  });

const between = (step: Step) =>
  `Samples ${integer(step.from)} to ${integer(step.from + step.count - 1)}`;
export function GrowthPlot(props: { series: Series }) {
  const { series } = props;
  const option = useCallback(() => {
    const ends = series.steps.map((step) => step.from + step.count);
    const counts = series.steps.map((step) => step.categories);
    return {
      grid: grid({ top: 34 }),
      xAxis: sampleAxis(series),
      yAxis: axis('categories', { vertical: true, min: 0, minInterval: 1 }),
      tooltip: tooltip('axis', (items) => {
        const step = series.steps[items[0]?.dataIndex ?? 0];
        return namedValues(between(step), [
          ['categories at its end', integer(step.categories)],
          ['began in it', integer(step.verdicts.created)],
        ]);
      }),
      series: [line('categories', theme().branch[3], pairs(ends, counts), { step: 'end' })],
    };
  }, [series]);
  return (
    <Figure
      title="Categories"
      caption={`Discovered along the stream, in steps of ${plural(series.width, 'sample')}.`}
    >
      <Plot name="growth" class="small" label="Categories along the stream" option={option} />
    </Figure>
  );
}

// A threshold that moves along the stream (their names begin with tau), else the first number that every step has.
function boundaryField(series: Series, evidence: EvidenceField[]): EvidenceField | undefined {
  const numbers = evidence.filter(
    (field) =>
      !field.choices.length && series.steps.some((step) => step.means[field.name] !== undefined),
  );
  return numbers.find((field) => field.name.startsWith('tau')) ?? numbers[0];
}

export function BoundaryPlot(props: { series: Series; stream: StreamDetail }) {
  const { series } = props;
  const field = boundaryField(series, props.stream.evidence ?? []);
  const option = useCallback(() => {
    if (!field) return {};
    const steps = series.steps.filter((step) => Number.isFinite(step.means[field.name] ?? NaN));
    const values = steps.map((step) => step.means[field.name] as number);
    const low = Math.min(...values);
    const high = Math.max(...values);
    const air = 0.2 * (high - low || Math.abs(high) || 1);
    return {
      grid: grid({ top: 34 }),
      xAxis: sampleAxis(series),
      yAxis: axis(field.unit || 'score', {
        vertical: true,
        min: low - air,
        max: high + air,
        axisLabel: {
          color: theme().muted,
          fontSize: 11,
          formatter: axisNumbers(low - air, high + air),
          showMinLabel: false,
          showMaxLabel: false,
        },
      }),
      tooltip: tooltip('axis', (items) => {
        const step = steps[items[0]?.dataIndex ?? 0];
        return namedValues(between(step), [[field.name, compact(step.means[field.name])]]);
      }),
      series: [
        line(
          field.name,
          theme().branch[1],
          pairs(
            steps.map((s) => s.from + s.count / 2),
            values,
          ),
        ),
      ],
    };
  }, [series, field?.name]);
  if (!field) return null;
  return (
    <Figure
      title={sentenceOf(field.meaning).replace(/\.$/, '')}
      caption={`${field.name}, its mean in steps of ${plural(series.width, 'sample')}.`}
    >
      <Plot
        name="boundary"
        class="small"
        label={`${field.name} along the stream`}
        option={option}
      />
    </Figure>
  );
}

export function SharesPlot(props: { series: Series; stream: StreamDetail }) {
  const { series, stream } = props;
  const option = useCallback(() => {
    const { ways, count } = waysOf(series, stream.evidence ?? []);
    const bins = {
      starts: series.steps.map((step) => step.from),
      ends: series.steps.map((step) => step.from + step.count),
      counts: series.steps.map(count),
      ways,
    };
    return sharesOption(bins, sampleAxis(series), 0.9, (i) => between(series.steps[i]));
  }, [series]);
  return (
    <figure class="span">
      <h3>How samples were decided</h3>
      <figcaption>Shares along the stream, in the colours above.</figcaption>
      <Plot
        name="shares"
        class="small"
        label="Shares of decisions along the stream"
        option={option}
      />
    </figure>
  );
}

// How the values of a study are written, and which of its axes are logarithmic.
import { compact, duration, integer, percent } from '../shared/format';
import type { Show } from './document';

const writers: Record<Show, (value: number) => string> = {
  share: (value) => percent(value),
  count: (value) => integer(Math.round(value)),
  seconds: (value) => `${compact(value)} s`,
  microseconds: (value) => duration(value),
};
export const write = (show: Show) => (value: number | null) =>
  value === null ? '–' : writers[show](value);

const ticks: Record<Show, (value: number) => string> = {
  ...writers,
  share: (value) => percent(value, 0),
  seconds: (value) => `${Number(value.toPrecision(3))} s`,
};
export const writeTick = (show: Show) => (value: number) => (value || show === 'share' ? ticks[show](value) : '0');

// Values that differ by more than this many times cannot be compared on one linear axis.
const wide = 30;

export function scaleOf(show: Show, values: (number | null)[]) {
  const present = values.filter((value): value is number => value !== null && value > 0);
  const low = Math.min(...present);
  const high = Math.max(...present);
  const log = show !== 'share' && present.length > 1 && high > wide * low;
  return {
    log,
    type: log ? 'log' : 'value',
    min: log ? 10 ** Math.floor(Math.log10(low)) : 0,
    note: log ? ' (logarithmic)' : '',
  };
}

// How numbers are written, the same everywhere on the page.
type Maybe = number | null | undefined;
const whole = new Intl.NumberFormat('en-US');

export const integer = (value: Maybe) =>
  value === null || value === undefined ? '–' : whole.format(value);

export const fixed = (value: Maybe, digits: number) =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : value.toFixed(digits).replace('-', '−');

export const percent = (share: Maybe, digits = 1) =>
  share === null || share === undefined || !Number.isFinite(share)
    ? '–'
    : `${(100 * share).toFixed(digits)}%`;

// Enough digits to tell neighbours apart, no more: 0.198, 12.3, 825.6.
export function compact(value: Maybe) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return fixed(value, size >= 1000 ? 1 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

// Numbers on an axis from `low` to `high`: as many digits as it takes that two marks never read the same.
export function axisNumbers(low: number, high: number): (value: number) => string {
  const step = (high - low) / 10;
  const digits = step > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(step)))) : 3;
  return (value) => fixed(value, digits);
}

export function duration(microseconds: Maybe) {
  if (microseconds === null || microseconds === undefined) return '–';
  if (microseconds < 0.05) return microseconds > 0 ? 'under 0.1 µs' : '0';
  if (microseconds >= 1e6) return `${fixed(microseconds / 1e6, 2)} s`;
  if (microseconds >= 1e3) return `${fixed(microseconds / 1e3, microseconds >= 1e4 ? 1 : 2)} ms`;
  return `${fixed(microseconds, microseconds >= 10 ? 0 : 1)} µs`;
}

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${integer(count)} ${count === 1 ? one : many}`;

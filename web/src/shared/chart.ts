// What all charts have in common: one ECharts instance each, drawn again whenever theme or width change.
//
//   const view = mount('routing', box, () => option, (event) => ...);   view.draw(); view.dispose();
//
// `option` is a function, so a chart holds no state of its own. Only the parts of ECharts named here are in the bundle.
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { onTheme, theme } from './theme';

echarts.use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
]);

// Options are those of ECharts, too wide to be worth a type of their own here.
type Option = Record<string, any>;
export interface Mounted {
  chart: echarts.ECharts;
  draw: () => void;
  dispose: () => void;
}

export const charts = new Map<string, echarts.ECharts>();

export const font =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

export function mount(
  name: string,
  box: HTMLElement,
  option: () => Option,
  onClick?: (event: Option) => void,
): Mounted {
  // At least 2: printed charts stay sharp.
  const chart = echarts.init(box, null, {
    devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
  });
  const draw = () => {
    chart.setOption(
      { animation: false, textStyle: { fontFamily: font, color: theme().text }, ...option() },
      { notMerge: true },
    );
  };
  const resize = () => chart.resize();
  const forgetTheme = onTheme(() => {
    resize();
    draw();
    chart.getZr().flush();
  });
  const observer = new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== chart.getWidth()) resize();
  });
  observer.observe(box);
  if (onClick) chart.on('click', onClick);
  charts.set(name, chart);
  draw();
  return {
    chart,
    draw,
    dispose: () => {
      forgetTheme();
      observer.disconnect();
      if (charts.get(name) === chart) charts.delete(name);
      chart.dispose();
    },
  };
}

// Parts of options that look the same in every chart.
export const grid = (extra: Option = {}) => ({
  left: 4,
  right: 10,
  top: 16,
  bottom: 26,
  containLabel: true,
  ...extra,
});

export function axis(name: string, extra: Option = {}): Option {
  const colours = theme();
  const { vertical, ...rest } = extra;
  return {
    type: 'value',
    name,
    nameLocation: vertical ? 'end' : 'middle',
    nameGap: vertical ? 12 : 25,
    nameTextStyle: {
      color: colours.muted,
      fontSize: 12,
      align: vertical ? 'left' : 'center',
    },
    axisLine: { show: !vertical, onZero: false, lineStyle: { color: colours.axis } },
    axisTick: { show: false },
    axisLabel: { color: colours.muted, fontSize: 11, hideOverlap: true },
    splitLine: { show: Boolean(vertical), lineStyle: { color: colours.line } },
    ...rest,
  };
}

export function tooltip(
  trigger: string,
  formatter: (item: any) => string | HTMLElement,
  extra: Option = {},
): Option {
  const colours = theme();
  return {
    trigger,
    formatter,
    confine: true,
    backgroundColor: colours.card,
    borderColor: colours.axis,
    padding: [8, 10],
    textStyle: { color: colours.text, fontSize: 12, fontFamily: font },
    extraCssText:
      'max-width:340px;white-space:normal;box-shadow:0 4px 18px rgba(0,0,0,.18);border-radius:6px',
    axisPointer: { type: 'line', lineStyle: { color: colours.axis, type: 'solid' } },
    ...extra,
  };
}

// A threshold: a line across the plot with its name.
export function thresholdLine(at: Option, text: string, extra: Option = {}): Option {
  const colours = theme();
  return {
    ...at,
    lineStyle: { color: colours.text, width: 1.2, type: extra.type ?? [5, 3] },
    label: {
      show: Boolean(text),
      formatter: text,
      color: colours.text,
      fontSize: 11,
      position: extra.position ?? 'insideEndTop',
      align: extra.align,
      textBorderColor: colours.card,
      textBorderWidth: 3,
      distance: 4,
    },
  };
}

// Thresholds are drawn where they are: by default ECharts rounds them to two digits.
export const lines = (data: Option[]) => ({
  silent: true,
  symbol: 'none',
  animation: false,
  precision: 12,
  data,
});

// Marks where members of the highlighted category lie along the stream, at the foot of a chart.
export function rug(places: number[][], axes: Option = {}): Option {
  return {
    id: 'rug',
    type: 'scatter',
    silent: true,
    symbol: 'rect',
    symbolSize: [1.5, 12],
    symbolOffset: [0, -6],
    z: 10,
    progressive: 0,
    itemStyle: { color: theme().accent, opacity: 0.9 },
    data: places,
    ...axes,
  };
}

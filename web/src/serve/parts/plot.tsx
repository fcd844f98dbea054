// A chart inside a component: drawn by the shared chart code, again whenever what it shows changes, and put away with it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { mount, type Mounted } from '../../shared/chart';

export function Plot(props: {
  name: string;
  label: string;
  class?: string;
  option: () => Record<string, unknown>;
  onClick?: (event: Record<string, any>) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const mounted = useRef<Mounted | null>(null);
  // The chart lives longer than one drawing: it always calls the newest functions.
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    mounted.current = mount(
      props.name,
      box.current!,
      () => latest.current.option(),
      (event) => latest.current.onClick?.(event),
    );
    return () => mounted.current?.dispose();
  }, []);
  useEffect(() => mounted.current?.draw(), [props.option]);
  return <div ref={box} class={`plot ${props.class ?? ''}`} role="img" aria-label={props.label} />;
}

export const Figure = (props: { title: string; caption: string; children: ComponentChildren }) => (
  <figure>
    <h3>{props.title}</h3>
    <figcaption>{props.caption}</figcaption>
    {props.children}
  </figure>
);

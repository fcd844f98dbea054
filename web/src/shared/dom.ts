// Elements in one call: h('p', {class: 'note'}, 'text', child). Text is always text, never markup.
export type Child = Node | string | null | undefined | false | Child[];

export function h(
  tag: string,
  props: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElement {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
    else if (key === 'style') Object.assign(element.style, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(
    ...(children.flat(Infinity as 1) as Child[]).filter(
      (child): child is Node | string => child !== null && child !== undefined && child !== false,
    ),
  );
  return element;
}

// A file for the reader, made on the spot.
export function download(name: string, text: string): void {
  const link = h('a', {
    href: URL.createObjectURL(new Blob([text], { type: 'text/csv' })),
    download: name,
  }) as HTMLAnchorElement;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Where the pages of a list began, up to the one in sight; still there when the reader comes back. Another wish begins anew.
import { useKept } from './route';

export type Starts = (number | undefined)[];

export function usePages(wish: string): [Starts, (next: Starts) => void] {
  const first: Starts = [undefined];
  const [pages, setPages] = useKept('pages', { wish, starts: first });
  return [
    pages.wish === wish ? pages.starts : first,
    (starts) => setPages({ wish, starts }),
  ];
}

// The categories of a stream as one long list of which only the part in sight is loaded, a page at a time. Brought up to date
// page by page, so that what is in sight never blinks.
import { signal, type Signal } from '@preact/signals';
import { get, pause, query, Refusal, streamPath } from '../api/client';
import type { Category, CategoryPage, Problem } from '../api/generated';
import { asProblem } from './actions';

export const pageSize = 120;

export interface ListQuery {
  sort: string;
  order: string;
  kind: string;
  retired: string;
  search: string;
}

interface Page {
  rows: Category[];
  fresh: boolean;
  loading: boolean;
}

export class CategoryList {
  readonly total: Signal<number | null> = signal(null);
  readonly problem: Signal<Problem | null> = signal(null);
  readonly changed = signal(0); // read by what draws rows
  private pages = new Map<number, Page>();
  private seen: [number, number] = [0, 0];
  private abort = new AbortController();

  constructor(
    private readonly stream: string,
    private readonly wish: ListQuery,
  ) {
    this.show(0, 1);
  }

  at(index: number): Category | undefined {
    return this.pages.get(Math.floor(index / pageSize))?.rows[index % pageSize];
  }

  // These rows are in sight.
  show(first: number, last: number): void {
    this.seen = [Math.floor(first / pageSize), Math.floor(Math.max(first, last - 1) / pageSize)];
    for (let page = this.seen[0]; page <= this.seen[1]; ++page) this.want(page);
  }

  // Everything may have changed; what is in sight is asked for at once, the rest when it comes into sight.
  refresh(): void {
    for (const page of this.pages.values()) page.fresh = false;
    this.show(this.seen[0] * pageSize, (this.seen[1] + 1) * pageSize);
  }

  close(): void {
    this.abort.abort();
  }

  private want(number: number): void {
    const total = this.total.peek();
    if (number > 0 && total !== null && number * pageSize >= total) return;
    const page = this.pages.get(number) ?? { rows: [], fresh: false, loading: false };
    this.pages.set(number, page);
    if (!page.fresh && !page.loading) void this.load(number, page);
  }

  private async load(number: number, page: Page): Promise<void> {
    page.loading = true;
    page.fresh = true;
    try {
      const answer = await get<CategoryPage>(
        streamPath(this.stream, '/categories') +
          query({ ...this.wish, offset: number * pageSize, limit: pageSize, faces: 3 }),
        this.abort.signal,
      );
      page.rows = answer.categories;
      this.total.value = answer.total;
      this.problem.value = null;
      page.loading = false;
      ++this.changed.value;
      // Something changed on the way: once more.
      if (!page.fresh && number >= this.seen[0] && number <= this.seen[1]) this.want(number);
    } catch (error) {
      page.fresh = false;
      page.loading = false;
      if (this.abort.signal.aborted) return;
      const later = error instanceof Refusal ? error.retryAfter : null;
      if (later === null) this.problem.value = asProblem(error);
      else
        void pause(1000 * later, this.abort.signal).then(() => {
          if (!this.abort.signal.aborted) this.refresh();
        });
    }
  }
}

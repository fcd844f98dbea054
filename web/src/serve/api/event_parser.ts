// Server-sent events out of text that arrives in pieces of any size. Knows the format, not the network.
export interface ServerEvent {
  id: string | null; // null: this event carries none
  kind: string;
  data: string;
}

export class EventParser {
  private rest = '';
  private id: string | null = null;
  private kind = '';
  private data: string[] = [];

  // The events that are complete with this piece.
  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const text = this.rest + piece;
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end < 0) break;
      const line = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
      start = end + 1;
      if (line) this.field(line);
      else this.finish(events);
    }
    this.rest = text.slice(start);
    return events;
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'id') this.id = value;
    else if (name === 'event') this.kind = value;
    else if (name === 'data') this.data.push(value);
  }

  private finish(events: ServerEvent[]): void {
    if (this.data.length)
      events.push({ id: this.id, kind: this.kind || 'message', data: this.data.join('\n') });
    this.id = null;
    this.kind = '';
    this.data = [];
  }
}

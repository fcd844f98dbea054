// A stream in memory for the page's tests: samples go to the nearest prototype or start one, and people's operations change
// categories and can be undone. It has the shapes of the real server, not its rule.
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const unit = (a) => {
  const length = Math.hypot(...a) || 1;
  return a.map((x) => x / length);
};
const refusal = (status, code, message, hint = '') => ({
  status,
  problem: { code, message, hint },
});

export class ToyStream {
  constructor(name, { dimension = 4, classes = [], threshold = 0.9, pictures = true } = {}) {
    Object.assign(this, { name, dimension, threshold, pictures });
    this.created = Date.now() / 1000;
    this.state = 'ready';
    this.events = []; // in order: {event, kind, data}
    this.samples = [];
    this.categories = [];
    this.prototypes = [];
    this.operations = [];
    this.listeners = new Set();
    this.byKey = new Map(); // what operations did, by the keys of their requests
    this.verified = new Set(); // samples that a person confirmed
    this.rate = 0;
    classes.forEach(({ name: className, direction }) => {
      const id = this.open(unit(direction), null);
      Object.assign(this.categories[id], { name: className, kind: 'known' });
      this.prototypes[id].reference = true;
    });
    this.support = classes.length;
  }

  open(direction, birth) {
    const id = this.categories.length;
    this.prototypes.push({ id: this.prototypes.length, owner: id, direction, reference: false });
    this.categories.push({
      id,
      name: `category ${id}`,
      kind: 'discovered',
      promoted: false,
      now: id,
      retired: false,
      birth,
    });
    return id;
  }

  now(id) {
    return this.categories[id].now === id ? id : this.now(this.categories[id].now);
  }

  near(direction) {
    return this.prototypes
      .filter((p) => !this.categories[this.now(p.owner)].retired)
      .map((p) => ({
        prototype: p.id,
        category: this.now(p.owner),
        cosine: dot(direction, p.direction),
      }))
      .sort((a, b) => b.cosine - a.cosine);
  }

  send({ embedding, key = null, id = null, attributes = {} }) {
    const seen = key && this.samples.find((s) => s.key === key);
    if (seen) return seen;
    const direction = unit(embedding);
    const [best, second] = this.near(direction);
    const sequence = this.samples.length;
    let category = best?.category;
    let prototype = best?.prototype;
    let verdict = 'existing';
    if (!best || best.cosine < this.threshold) {
      category = this.open(direction, sequence);
      prototype = this.prototypes.length - 1;
      verdict = 'created';
    } else if (this.categories[category].kind === 'known') verdict = 'known';
    const sample = {
      sequence,
      event: this.events.length,
      category,
      name: this.categories[category].name,
      verdict,
      prototype,
      key,
      id,
      score: best?.cosine ?? null,
      threshold: this.threshold,
      runner_up: second?.category ?? category,
      time: Math.floor(Date.now() / 1000),
      attributes,
      picture: this.pictures,
      direction,
    };
    this.samples.push(sample);
    const { sequence: s, event, key: k } = sample;
    this.append('sample', {
      sequence: s,
      event,
      category,
      name: sample.name,
      verdict,
      key: k,
      id,
      score: sample.score,
      threshold: this.threshold,
      time: sample.time,
      picture: this.pictures,
      attributes,
    });
    return sample;
  }

  append(kind, data) {
    const entry = { event: this.events.length, kind, data };
    this.events.push(entry);
    this.listeners.forEach((listener) => listener(entry));
  }

  memberOf(sample) {
    return this.now(this.prototypes[sample.prototype].owner);
  }

  members(id) {
    return this.samples.filter((sample) => this.memberOf(sample) === id);
  }

  view(sample) {
    const { direction: _, ...rest } = sample;
    const member_of = this.memberOf(sample);
    return {
      ...rest,
      verified: this.verified.has(sample.sequence),
      now: this.now(sample.category),
      member_of,
      now_name: this.categories[member_of].name,
      runner_up_name: this.categories[sample.runner_up].name,
    };
  }

  category(id, faces = 0) {
    const one = this.categories[id];
    const members = this.members(id);
    const face = ({ sequence, key, id: name, picture, attributes }) => ({
      sequence,
      key,
      id: name,
      picture,
      attributes,
    });
    return {
      ...one,
      support_pictures: 0,
      size: members.length,
      verified: members.filter((s) => this.verified.has(s.sequence)).length,
      keywords: [],
      suggested_name: null,
      like: null,
      answered: this.samples.filter((s) => s.category === id).length,
      newest: members.at(-1)?.sequence ?? null,
      resultant_length: members.length ? 0.9 : null,
      prototypes: this.prototypes.filter((p) => this.now(p.owner) === id).map((p) => p.id),
      ...(faces ? { faces: members.slice(-faces).reverse().map(face) } : {}),
    };
  }

  // One change as a pair of doings; what is undone must not have been built upon.
  operate(request, actor) {
    const c = this.categories[request.category];
    const set = (object, values) => {
      const before = Object.fromEntries(Object.keys(values).map((key) => [key, object[key]]));
      Object.assign(object, values);
      return () => Object.assign(object, before);
    };
    const several = (changes) => () => changes.reverse().forEach((back) => back());
    let back;
    let text;
    let category = request.category;
    let touched = [category];
    switch (request.kind) {
      case 'rename':
        if (this.categories.some((o) => o.name === request.name && o.now === o.id))
          throw refusal(
            409,
            'conflict',
            `there is a category called '${request.name}' already`,
            'choose another name, or merge the two',
          );
        text = `renamed '${c.name}' to '${request.name}'`;
        back = set(c, { name: request.name });
        break;
      case 'merge':
        category = request.into;
        touched = [category, ...request.categories];
        back = several(request.categories.map((id) => set(this.categories[id], { now: category })));
        text = `merged ${request.categories.join(', ')} into ${category}`;
        break;
      case 'separate': {
        category = this.categories.length;
        this.categories.push({
          ...c,
          id: category,
          now: category,
          name: request.name ?? `category ${category}`,
          kind: 'discovered',
        });
        back = several(
          request.prototypes.map((id) => set(this.prototypes[id], { owner: category })),
        );
        text = `separated ${request.prototypes.length} prototype from ${request.category}`;
        break;
      }
      case 'move': {
        const target =
          request.into === 'new'
            ? this.open(this.samples[request.samples[0]].direction, request.samples[0])
            : request.into;
        if (request.into === 'new' && request.name) this.categories[target].name = request.name;
        const prototype = this.prototypes.findIndex((p) => this.now(p.owner) === target);
        back = several(request.samples.map((s) => set(this.samples[s], { prototype })));
        category = target;
        touched = [target];
        text = `moved ${request.samples.length} samples to '${this.categories[target].name}'`;
        break;
      }
      case 'verify': {
        const fresh = request.samples.filter((one) => !this.verified.has(one));
        fresh.forEach((one) => this.verified.add(one));
        category = this.memberOf(this.samples[request.samples[0]]);
        touched = [category];
        back = () => fresh.forEach((one) => this.verified.delete(one));
        text = `verified ${request.samples.length} samples of '${this.categories[category].name}'`;
        break;
      }
      case 'promote':
        back = set(c, { kind: 'known', promoted: true });
        text = `promoted '${c.name}'`;
        break;
      case 'demote':
        back = set(c, { kind: 'discovered', promoted: false });
        text = `demoted '${c.name}'`;
        break;
      default:
        back = set(c, { retired: request.kind === 'retire' });
        text = `${request.kind}d '${c.name}'`;
    }
    return this.record({ kind: request.kind, category, text, actor, undoes: null }, back, touched);
  }

  record(outcome, back, touched) {
    const event = this.events.length;
    const full = {
      event,
      sequence: this.samples.length,
      time: Date.now() / 1000,
      undone_by: null,
      ...outcome,
    };
    this.operations.push({ outcome: full, back, touched });
    this.append('operation', full);
    return full;
  }

  undo(event, actor) {
    const at = this.operations.findIndex((o) => o.outcome.event === event);
    if (at < 0) throw refusal(404, 'not_found', `there is no operation ${event}`);
    const entry = this.operations[at];
    const later = this.operations
      .slice(at + 1)
      .find(
        (o) =>
          o.outcome.undone_by === null &&
          o.outcome.undoes === null &&
          o.touched.some((id) => entry.touched.includes(id)),
      );
    if (later)
      throw refusal(
        409,
        'conflict',
        `event ${later.outcome.event} (${later.outcome.text}) builds on it`,
        `undo event ${later.outcome.event} first`,
      );
    entry.back();
    const outcome = this.record(
      {
        kind: 'undo',
        category: entry.outcome.category,
        text: `took back event ${event}: ${entry.outcome.text}`,
        actor,
        undoes: event,
      },
      () => undefined,
      [],
    );
    entry.outcome.undone_by = outcome.event;
    return outcome;
  }

  brief() {
    // While the journal is being opened nothing is known yet.
    const opening = this.state === 'opening';
    const live = opening ? [] : this.categories.filter((c) => c.now === c.id);
    const known = live.filter((c) => c.kind === 'known').length;
    return {
      name: this.name,
      state: this.state,
      method: 'paco',
      dimension: this.dimension,
      samples: opening ? 0 : this.samples.length,
      events: opening ? 0 : this.events.length,
      known,
      discovered: live.length - known,
      retired: live.filter((c) => c.retired).length,
      rate: this.rate,
      created: this.created,
      error: null,
      progress: this.state === 'ready' ? null : { done: 40, total: 100 },
      warnings: this.advice?.warnings.length ?? 0,
      suggestions: this.advice?.suggestions.length ?? 0,
    };
  }
}

export { dot, refusal, unit };

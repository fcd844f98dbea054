// A synthetic stream of any length as the files `paco discover` writes: for what no small golden case shows.
import { writeFileSync } from 'node:fs';

// A small generator with a seed (Park and Miller), so that the files are the same everywhere.
function generator(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

export function writeSyntheticStream(folder, { samples, known, tauHi, tauBirth, tauCreate, seed = 1 }) {
  const random = generator(seed);
  const decisions = [
    'sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,assignment_score,runner_up_score,tau_birth',
  ];
  const trace = [
    'sequence,category,branch,route,assignment_score,runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score,tau_birth_after,eta_after,mature_after,false_new_gate,categories,microseconds',
  ];
  const counts = { known_only: 0, explained: 0, attach: 0, create: 0 };
  let categories = 0;
  for (let i = 0; i < samples; ++i) {
    const eta = (0.6 * i) / samples;
    const cosine = 0.2 + 0.7 * random();
    const pick = random();
    // Births become rare as the stream goes on.
    const branch =
      categories === 0 || pick < 40 / (i + 40)
        ? 'create'
        : pick < 0.45
          ? 'known_only'
          : pick < 0.93
            ? 'explained'
            : 'attach';
    const margin = branch === 'known_only' ? tauHi + 0.3 * random() : tauHi * random();
    const route = branch === 'known_only' ? 'known_only' : 'all';
    const birth =
      branch === 'known_only'
        ? ''
        : branch === 'explained'
          ? tauBirth + 0.3 * random()
          : tauBirth - 0.2 * random();
    const attach =
      branch === 'attach'
        ? tauCreate + 50 * random()
        : branch === 'create' && categories > 0
          ? tauCreate - 50 * random()
          : '';
    const old = branch === 'known_only' || (branch === 'explained' && random() < 0.5);
    const category =
      branch === 'create'
        ? known + categories++
        : old
          ? Math.floor(known * random())
          : known + Math.floor(categories * random() ** 2);
    const verdict = branch === 'create' ? 'created' : old ? 'known' : 'existing';
    ++counts[branch];
    const score =
      branch === 'known_only'
        ? margin
        : branch === 'explained'
          ? birth
          : attach === ''
            ? birth
            : attach;
    const threshold =
      branch === 'known_only'
        ? tauHi
        : branch === 'explained'
          ? tauBirth
          : attach === ''
            ? tauBirth
            : tauCreate;
    const name = category < known ? `${category}` : `category ${category}`;
    decisions.push(
      [
        i,
        i,
        verdict,
        category,
        name,
        branch,
        route,
        score,
        threshold,
        category,
        '',
        '',
        tauBirth,
      ].join(','),
    );
    trace.push(
      [
        i,
        category,
        branch,
        route,
        '',
        '',
        tauBirth,
        cosine,
        margin,
        birth,
        attach,
        tauBirth,
        eta,
        0,
        '',
        categories,
        5 + 10 * random(),
      ].join(','),
    );
  }
  writeFileSync(`${folder}/made.csv`, `${decisions.join('\n')}\n`);
  writeFileSync(`${folder}/made-trace.csv`, `${trace.join('\n')}\n`);
  return { counts, categories };
}

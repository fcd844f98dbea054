// One category in the grid: its newest members as pictures, or what they are called; name, size, kind; can be picked.
import { integer, plural } from '../../shared/format';
import { mayOperate } from '../api/client';
import type { Category, Face } from '../api/generated';
import { examplePath } from '../api/pictures';
import { togglePicked } from '../state/actions';
import { toCategory } from '../state/route';
import { KindChip, Link, Picture, PictureAt, sampleText, sampleTitle } from './basics';
import { EditableName } from './editable_name';

// What an unnamed category may be: the words that its members share, or the known class that is nearest.
export function hintOf(category: Category): string | null {
  if (category.kind === 'known') return null;
  if (category.suggested_name && category.suggested_name !== category.name)
    return `may be “${category.suggested_name}”`;
  return category.like ? `like ${category.like.name}` : null;
}

export const cellWithPictures = { width: 224, height: 236, gap: 14 };
export const cellWithText = { width: 224, height: 182, gap: 14 };

const firstAttributes = (face: Face) =>
  Object.entries(face.attributes ?? {})
    .slice(0, 2)
    .map(([key, value]) => `${key} ${value}`)
    .join(' · ');

const shown = 3;

// A known class shows what it was calibrated on, before and between what the stream brought.
export const examplesShown = (category: Category, faces: number): number =>
  Math.min(category.support_pictures, Math.max(1, shown - faces));

function Faces(props: { stream: string; category: Category; pictures: boolean }) {
  const { category } = props;
  const examples = examplesShown(category, category.faces?.length ?? 0);
  const faces = (category.faces ?? []).slice(0, shown - examples);
  if (props.pictures) {
    return (
      <div class={`faces of${examples + faces.length}`}>
        {Array.from({ length: examples }, (_, i) => (
          <span key={`example ${i}`} class="example" title="an example of this class">
            <PictureAt
              path={examplePath(props.stream, category.id, i)}
              alt={`${category.name}, example ${i + 1}`}
            />
          </span>
        ))}
        {faces.map((face) =>
          face.picture ? (
            <Picture
              key={face.sequence}
              stream={props.stream}
              sequence={face.sequence}
              alt={sampleTitle(face)}
            />
          ) : (
            <span key={face.sequence} class="picture word">
              {sampleTitle(face)}
            </span>
          ),
        )}
      </div>
    );
  }
  return (
    <ul class="face-words">
      {faces.map((face) => (
        <li key={face.sequence}>
          {sampleText(face) ?? (
            <>
              {sampleTitle(face)} <span class="aside">{firstAttributes(face)}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

export function CategoryCard(props: {
  stream: string;
  category: Category | undefined;
  pictures: boolean;
  chosen: boolean;
  focused: boolean;
  editing: boolean;
  onEditing: (editing: boolean) => void;
}) {
  const { category } = props;
  if (!category) return <div class="category-card bone" role="listitem" aria-hidden="true" />;
  const faces = category.faces ?? [];
  const hint = hintOf(category);
  const state = `${props.chosen ? 'chosen' : ''} ${props.focused ? 'focused' : ''} ${category.retired ? 'retired' : ''}`;
  return (
    <div class={`category-card ${state}`} role="listitem" data-id={category.id}>
      <Link
        to={toCategory(props.stream, category.id)}
        class="card-cover"
        label={`Open ${category.name}`}
      >
        {faces.length || category.support_pictures ? (
          <Faces
            stream={props.stream}
            category={category}
            pictures={props.pictures || !faces.length}
          />
        ) : (
          <p class="note faceless">
            {category.kind === 'known' ? 'no sample of the stream yet' : 'no samples'}
          </p>
        )}
      </Link>
      <div class="card-line">
        {mayOperate() && (
          <input
            type="checkbox"
            class="tick"
            aria-label={`Pick ${category.name}`}
            checked={props.chosen}
            onChange={() => togglePicked(category)}
          />
        )}
        <EditableName
          stream={props.stream}
          id={category.id}
          name={category.name}
          editing={props.editing}
          onEditing={props.onEditing}
        />
      </div>
      {hint && <div class="card-hint">{hint}</div>}
      <div class="card-line low">
        <KindChip kind={category.kind} retired={category.retired} />
        <span class="aside" title={`number ${category.id}`}>
          {plural(category.size, 'sample')}
          {category.verified ? ` · ${integer(category.verified)} ✓` : ''}
        </span>
      </div>
    </div>
  );
}

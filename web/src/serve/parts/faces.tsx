// A few members of a category, small: what it looks like, or what its members are called. Of a known class without pictures in
// the stream: what it was calibrated on.
import { query, streamPath } from '../api/client';
import type { Category, CategoryDetail, Face, MemberPage } from '../api/generated';
import { examplePath } from '../api/pictures';
import { useResource } from '../state/resource';
import { Picture, PictureAt, sampleText, sampleTitle } from './basics';

export const Examples = (props: {
  stream: string;
  category: Category;
  count: number;
  class?: string;
}) => (
  <>
    {Array.from({ length: Math.min(props.count, props.category.support_pictures) }, (_, i) => (
      <PictureAt
        key={i}
        path={examplePath(props.stream, props.category.id, i)}
        alt={`${props.category.name}, example ${i + 1}`}
        class={props.class}
      />
    ))}
  </>
);

export const SmallFaces = (props: {
  stream: string;
  category?: Category;
  faces: Face[];
  class?: string;
}) => {
  const size = props.class ?? 'small';
  const pictures = props.faces.filter((face) => face.picture);
  const examples = pictures.length < 2 ? (props.category?.support_pictures ?? 0) : 0;
  if (!pictures.length && !examples) {
    const words = props.faces.map((face) => sampleText(face) ?? sampleTitle(face));
    return words.length ? <span class="thumbs words">{words.slice(0, 2).join(' · ')}</span> : null;
  }
  return (
    <span class="thumbs">
      {examples > 0 && (
        <Examples
          stream={props.stream}
          category={props.category!}
          count={2 - pictures.length}
          class={size}
        />
      )}
      {pictures.map((face) => (
        <Picture
          key={face.sequence}
          stream={props.stream}
          sequence={face.sequence}
          alt={sampleTitle(face)}
          class={size}
        />
      ))}
    </span>
  );
};

// The same for a category of which only the number is known.
export function FacesOf(props: { stream: string; id: number; count?: number; class?: string }) {
  const path = streamPath(props.stream, `/categories/${props.id}`);
  const category = useResource<CategoryDetail>(path);
  const members = useResource<MemberPage>(
    `${path}/members` + query({ order: 'newest', limit: props.count ?? 3 }),
  );
  return (
    <SmallFaces
      stream={props.stream}
      category={category.value ?? undefined}
      faces={members.value?.members ?? []}
      class={props.class}
    />
  );
}

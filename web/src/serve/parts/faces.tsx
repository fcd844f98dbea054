// A few members of a category, small: what it looks like, or what its members are called.
import { query, streamPath } from '../api/client';
import type { Face, MemberPage } from '../api/types';
import { useResource } from '../state/resource';
import { Picture, sampleText, sampleTitle } from './basics';

export const SmallFaces = (props: { stream: string; faces: Face[]; class?: string }) => {
  const pictures = props.faces.filter((face) => face.picture);
  if (!pictures.length) {
    const words = props.faces.map((face) => sampleText(face) ?? sampleTitle(face));
    return words.length ? <span class="thumbs words">{words.slice(0, 2).join(' · ')}</span> : null;
  }
  return (
    <span class="thumbs">
      {pictures.map((face) => (
        <Picture
          key={face.sequence}
          stream={props.stream}
          sequence={face.sequence}
          alt={sampleTitle(face)}
          class={props.class ?? 'small'}
        />
      ))}
    </span>
  );
};

// The same for a category of which only the number is known.
export function FacesOf(props: { stream: string; id: number; count?: number; class?: string }) {
  const members = useResource<MemberPage>(
    streamPath(props.stream, `/categories/${props.id}/members`) +
      query({ order: 'newest', limit: props.count ?? 3 }),
  );
  return (
    <SmallFaces stream={props.stream} faces={members.value?.members ?? []} class={props.class} />
  );
}

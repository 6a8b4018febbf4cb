import { findHiddenCharacters } from '../text/index.ts'

/** Removes invisible characters. An unusual space becomes a plain one. */
export function removeHiddenCharacters(text: string): string {
  return findHiddenCharacters(text)
    .map((piece) =>
      piece.hidden === undefined ? piece.text : /^\p{Z}/u.test(piece.text) ? ' ' : '',
    )
    .join('')
}

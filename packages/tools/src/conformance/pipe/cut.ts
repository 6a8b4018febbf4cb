const SHOWN_CHARS = 120

/** A text as it is shown in a sentence: quoted, and no longer than a line. */
export function cut(text: string): string {
  return JSON.stringify(text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`)
}

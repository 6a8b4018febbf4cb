const SHOWN_CHARS = 120

/** Quotes a text for a sentence, truncated to a line. */
export function cut(text: string): string {
  return JSON.stringify(text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`)
}

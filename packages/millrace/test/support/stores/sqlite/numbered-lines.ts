const encoder = new TextEncoder()

/** Maximum length of a line, beside its number. */
export const maxPadding = 400

/** The one line with this id in a session of a test, so that any change of it is detected. */
export function numberedLine(session: string, id: number, padding = maxPadding): Uint8Array {
  return encoder.encode(`${session} ${id} ${'·'.repeat((id * 7919) % padding)}`)
}

/** The lines with the ids after one, up to another. */
export function numberedLines(
  session: string,
  after: number,
  last: number,
  padding = maxPadding,
): Uint8Array[] {
  return Array.from({ length: last - after }, (_, n) =>
    numberedLine(session, after + n + 1, padding),
  )
}

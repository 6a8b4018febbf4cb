/** A text as lines that keep their own ends. */
export interface TextLines {
  readonly lines: readonly string[]
  /** How most of its lines end. */
  readonly lineEnd: '\n' | '\r\n'
  readonly endsWithoutNewline: boolean
}

/** Cuts a text into its lines; the last one has no end if the text has none. */
export function toTextLines(text: string): TextLines {
  const lines: string[] = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const next = end === -1 ? text.length : end + 1
    lines.push(text.slice(from, next))
    from = next
  }
  const ended = lines.filter((line) => line.endsWith('\n')).length
  const windows = lines.filter((line) => line.endsWith('\r\n')).length
  return {
    lines,
    lineEnd: windows * 2 > ended ? '\r\n' : '\n',
    endsWithoutNewline: text !== '' && !text.endsWith('\n'),
  }
}

/** Joins lines; each ends but the last, which ends as is asked. */
export function joinTextLines(
  lines: readonly string[],
  lineEnd: string,
  endsWithoutNewline: boolean,
): string {
  const last = lines.length - 1
  const ended = lines.map((line, index) => {
    if (index === last && endsWithoutNewline) return withoutEnd(line)
    return line.endsWith('\n') ? line : line + lineEnd
  })
  return ended.join('')
}

/** A line without its end. */
export function withoutEnd(line: string): string {
  if (!line.endsWith('\n')) return line
  return line.slice(0, line.endsWith('\r\n') ? -2 : -1)
}

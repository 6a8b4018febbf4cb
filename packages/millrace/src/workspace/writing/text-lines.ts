/** A text as lines with their line ends. */
export interface TextLines {
  readonly lines: readonly string[]
  /** The most frequent line end. */
  readonly lineEnd: '\n' | '\r\n'
  readonly endsWithoutNewline: boolean
}

/** Splits a text into lines. The last line may lack a line end. */
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

/** Joins lines. Adds missing line ends, except to the last line if `endsWithoutNewline`. */
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

/** Removes the line end of a line. */
export function withoutEnd(line: string): string {
  if (!line.endsWith('\n')) return line
  return line.slice(0, line.endsWith('\r\n') ? -2 : -1)
}

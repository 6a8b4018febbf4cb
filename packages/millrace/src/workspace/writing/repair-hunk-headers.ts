const hunkHeader = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/

/**
 * Corrects the line counts of all hunk headers, because models count badly. A header without numbers gets line 0,
 * which no patch has.
 */
export function repairHunkHeaders(patch: string): string {
  const lines = patch.split('\n')
  const repaired: string[] = []
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? ''
    index += 1
    if (!line.startsWith('@@')) {
      repaired.push(line)
      continue
    }
    const end = findEnd(lines, index)
    const body = lines.slice(index, end)
    repaired.push(toHeader(line, body), ...body)
    index = end
  }
  return repaired.join('\n')
}

/** Finds the end of a hunk: before the next hunk or file, without trailing empty lines. */
function findEnd(lines: readonly string[], start: number): number {
  let end = start
  while (end < lines.length && !isBoundary(lines, end)) end += 1
  while (end > start && lines[end - 1] === '') end -= 1
  return end
}

function isBoundary(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? ''
  const isFileHeader = line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true
  return isFileHeader || /^(@@|diff --git |Index: )/.test(line)
}

function toHeader(line: string, body: readonly string[]): string {
  const [, oldStart = '0', newStart = '0'] = hunkHeader.exec(line) ?? []
  const count = (marks: string) => body.filter((text) => marks.includes(text[0] ?? ' ')).length
  return `@@ -${oldStart},${count(' -')} +${newStart},${count(' +')} @@`
}

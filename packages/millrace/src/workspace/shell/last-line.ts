/** Number of characters kept to find the last line. */
const KEPT_CHARS = 400
const SHOWN_CHARS = 200

/** Creates a reporter of the last line, with at most one report in `intervalMs`. */
export function createLastLine(
  report: (line: string) => void,
  { intervalMs }: { intervalMs: number },
) {
  let recent = ''
  let reported = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const reportLine = (): void => {
    timer = undefined
    const line = lastLineOf(recent)
    if (line === '' || line === reported) return
    reported = line
    report(line)
    timer = setTimeout(reportLine, intervalMs)
  }
  return {
    feed(text: string) {
      recent = (recent + text.slice(-KEPT_CHARS)).slice(-KEPT_CHARS)
      timer ??= setTimeout(reportLine, intervalMs)
    },
    dispose() {
      clearTimeout(timer)
    },
  }
}

function lastLineOf(text: string): string {
  // Progress bars return to the start of the line without ending it.
  const line =
    text
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? ''
  return line.trim().slice(0, SHOWN_CHARS)
}

/** Tells the last line of an output from time to time. */
export interface LastLine {
  feed(text: string): void
  dispose(): void
}

/** Enough of the end of an output to find its last line in. */
const KEPT_CHARS = 400
const SHOWN_CHARS = 200

/** Builds a teller that reports at most once in `intervalMs`, and the newest line at that. */
export function createLastLine(
  report: (line: string) => void,
  { intervalMs }: { intervalMs: number },
): LastLine {
  let recent = ''
  let told = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = (): void => {
    timer = undefined
    const line = lastLineOf(recent)
    if (line === '' || line === told) return
    told = line
    report(line)
    timer = setTimeout(tell, intervalMs)
  }
  return {
    feed(text) {
      recent = (recent + text.slice(-KEPT_CHARS)).slice(-KEPT_CHARS)
      timer ??= setTimeout(tell, intervalMs)
    },
    dispose() {
      clearTimeout(timer)
    },
  }
}

function lastLineOf(text: string): string {
  // Progress bars return to the start of their line without ending it.
  const line =
    text
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? ''
  return line.trim().slice(0, SHOWN_CHARS)
}

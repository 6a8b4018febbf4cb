const WIDTH = 30
const CLEAR_LINE = '\r\u001b[K'
const QUIET_MS = 20_000

/** Shows the progress of long work: a bar on a terminal, otherwise a line at intervals. */
export interface ProgressBar {
  show(name: string, done: number, total: number, what?: string): void
  clear(): void
}

/** Creates a bar on standard error, so that standard output has only the figures. */
export function createProgressBar(output: NodeJS.WriteStream = process.stderr): ProgressBar {
  let reportedAt = Date.now()
  return {
    show: (name, done, total, what = '') => {
      const part = total === 0 ? 0 : Math.min(1, done / total)
      const text = `${name}  ${bar(part)} ${done} of ${total}  ${what}`
      if (output.isTTY) return void output.write(`${CLEAR_LINE}${text}`)
      if (Date.now() - reportedAt < QUIET_MS) return
      reportedAt = Date.now()
      output.write(`  … ${name}: ${done} of ${total} ${what}\n`)
    },
    clear: () => {
      if (output.isTTY) output.write(CLEAR_LINE)
    },
  }
}

function bar(part: number): string {
  const filled = Math.round(part * WIDTH)
  return '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
}

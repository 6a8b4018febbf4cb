import type { Readable } from 'node:stream'

/** Status of a command as reported by bubblewrap. */
export interface SandboxStatus {
  /** The session leader of the command, which is also the first process of its namespace. */
  readonly leader: number | undefined
}

/** Maximum length of reports. The first report takes about 200 characters. */
const MAX_CHARS = 2000

/** Reads the reports of bubblewrap. The id of the first process is reported before the command starts. */
export function readSandboxStatus(reports: Readable): SandboxStatus {
  let text = ''
  reports.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_CHARS) text += chunk
  })
  reports.on('error', () => {})
  return {
    get leader() {
      const id = Number(/"child-pid": (\d+)/.exec(text)?.[1])
      return id > 1 ? id : undefined
    },
  }
}

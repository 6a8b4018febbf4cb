import type { Readable } from 'node:stream'

/** What bubblewrap reports on a command while it runs. */
export interface SandboxStatus {
  /** The process that leads the command's session, and the first one of its namespace. */
  readonly leader: number | undefined
}

/** The first report takes about 200 characters. */
const MAX_CHARS = 2000

/** Reads the reports of bubblewrap: the id of the first process comes before the command starts. */
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

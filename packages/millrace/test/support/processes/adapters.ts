import { readFileSync } from 'node:fs'

/** The code of a small adapter, which may use `say(value)`, `task`, `fs`, and `answer`, the right answer to the case. */
export interface AdapterCode {
  /** Before the hello. */
  readonly start?: string
  /** At each task; without it, the right answer is written. */
  readonly onTask?: string
  /** After the last task. */
  readonly onEnd?: string
}

/** A case that the small adapters answer right: 8 tasks, each with other pieces. */
export const rightCase = {
  kind: 'sse_decode',
  input: { chunks_b64: ['ZGF0YTogeAoK'] },
  expected: { data: ['x'] },
}

/** A command that implements the adapter protocol, in a few lines of JavaScript. */
export function smallAdapter({
  start = '',
  onTask = 'say(answer)',
  onEnd = '',
}: AdapterCode): string[] {
  const code = `
    const fs = require('node:fs')
    const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
    ${start}
    say({ hello: { protocol: 1, name: 'small', version: '1', kinds: ['sse_decode'] } })
    const lines = require('node:readline').createInterface({ input: process.stdin })
    lines.on('line', (line) => {
      const task = JSON.parse(line)
      const answer = { id: task.id, output: { events: [{ data: 'x' }], last_event_id: '' } }
      ${onTask}
    })
    lines.on('close', () => { ${onEnd} })
  `
  return [process.execPath, '-e', code]
}

/** Checks whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

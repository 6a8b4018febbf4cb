import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The latencies of `/health` of a server over a period. */
export interface HealthFigures {
  readonly asked: number
  /** Responses other than 200, and connections that failed. */
  readonly failed: number
  readonly worstMs: number
}

const main = fileURLToPath(new URL('health-process.ts', import.meta.url))

/** Requests the health of a server from another process while a measurement runs. */
export async function watchHealth<Result>(
  port: number,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly health: HealthFigures }> {
  const child = fork(main, [String(port)], { execArgv: ['--import', 'tsx'] })
  try {
    const result = await work()
    child.send('stop')
    const [health] = (await once(child, 'message')) as [HealthFigures]
    return { result, health }
  } finally {
    child.kill()
  }
}

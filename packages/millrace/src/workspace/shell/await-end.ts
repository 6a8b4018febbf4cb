import { setTimeout as sleep } from 'node:timers/promises'
import { countProcesses } from './sandbox/count-processes.ts'
import type { SandboxStatus } from './sandbox/sandbox-status.ts'

/** The bound that a command ran into; a run that is stopped counts as out of time. */
export type EarlyEnd = 'time' | 'processes'

/** The bounds of a command that runs. */
export interface EndBounds {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Present in a sandbox that reports: only there can processes be counted. */
  readonly status: SandboxStatus | undefined
  readonly maxProcesses: number
}

/** Root is exempt from the kernel's own limit on processes, so they are counted this often. */
const COUNT_INTERVAL_MS = 100

/** Waits until a command ends by itself, which gives undefined, or runs into a bound. */
export async function awaitEnd(
  ended: Promise<unknown>,
  { timeoutMs, signal, status, maxProcesses }: EndBounds,
): Promise<EarlyEnd | undefined> {
  const over = new AbortController()
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  const late = sleep(timeoutMs, 'time' as const, { signal: over.signal }).catch(
    () => 'time' as const,
  )
  const crowd = status === undefined ? [] : [overrun(status, maxProcesses, over.signal)]
  try {
    return await Promise.race([ended.then(() => undefined), late, ...crowd])
  } finally {
    signal.removeEventListener('abort', stop)
    over.abort()
  }
}

/** Resolves when there are too many processes; stays open if that never happens. */
async function overrun(
  status: SandboxStatus,
  maxProcesses: number,
  signal: AbortSignal,
): Promise<EarlyEnd> {
  while (!signal.aborted) {
    await sleep(COUNT_INTERVAL_MS, undefined, { signal }).catch(() => {})
    const count = status.leader === undefined ? 0 : await countProcesses(status.leader)
    if (count > maxProcesses) return 'processes'
  }
  return new Promise(() => {})
}

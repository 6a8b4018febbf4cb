import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxStatus } from './sandbox/sandbox-status.ts'

/** The limit that ended a command. A stopped run counts as a timeout. */
export type EarlyEnd = 'time' | 'processes'

/** Limits of a running command. */
export interface EndBounds {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Present in a sandbox that reports its status. Processes can be counted only there. */
  readonly status: SandboxStatus | undefined
  readonly maxProcesses: number
}

/** Root is exempt from the kernel's process limit, so processes are counted at this interval. */
const COUNT_INTERVAL_MS = 100

/** Waits until a command exits, which returns undefined, or exceeds a limit. */
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
  const overrun = status === undefined ? [] : [waitForOverrun(status, maxProcesses, over.signal)]
  try {
    return await Promise.race([ended.then(() => undefined), late, ...overrun])
  } finally {
    signal.removeEventListener('abort', stop)
    over.abort()
  }
}

/** Resolves when there are too many processes; never resolves otherwise. */
async function waitForOverrun(
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

/** Counts the processes in the namespace of a sandbox; 0 after its end. */
async function countProcesses(leader: number): Promise<number> {
  try {
    // The sandbox has its own `/proc`, which lists only its processes.
    const names = await readdir(`/proc/${leader}/root/proc`)
    return names.filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}

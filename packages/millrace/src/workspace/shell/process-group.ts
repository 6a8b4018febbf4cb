import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../paths/explain-failure.ts'

const POLL_MS = 20

/** Groups that must not outlive this process. */
const live = new Set<number>()

/** Remembers a group of processes until it is ended, so that it ends with this process at the latest. */
export function watchGroup(leader: number): void {
  if (live.size === 0) process.on('exit', killAll)
  live.add(leader)
}

/** Ends a group and everything in it: kindly first, and for certain after `graceMs`. */
export async function endGroup(leader: number, { graceMs }: { graceMs: number }): Promise<void> {
  const rounds = Math.ceil(graceMs / POLL_MS)
  let isAlive = signalGroup(leader, 'SIGTERM')
  for (let round = 0; isAlive && round < rounds; round++) {
    await sleep(POLL_MS)
    isAlive = signalGroup(leader, 0)
  }
  if (isAlive) signalGroup(leader, 'SIGKILL')
  live.delete(leader)
  if (live.size === 0) process.off('exit', killAll)
}

function killAll(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL')
}

/** Sends a signal to all of a group; tells whether anyone was there. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch (error) {
    // A process that runs as another user cannot be reached, but is there.
    return systemCode(error) === 'EPERM'
  }
}

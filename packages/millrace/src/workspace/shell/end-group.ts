import { setTimeout as sleep } from 'node:timers/promises'
import { killGroup, signalGroup } from '../../process-groups/index.ts'

const POLL_MS = 20

/** How a group is ended. */
export interface EndOptions {
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** The group that takes the SIGTERM, where the watched one only holds a sandbox; it ends with that. */
  readonly inner: number | undefined
}

/** Ends a group and everything in it: by SIGTERM, and after `graceMs` by SIGKILL. */
export async function endGroup(leader: number, { graceMs, inner }: EndOptions): Promise<void> {
  const rounds = Math.ceil(graceMs / POLL_MS)
  signalGroup(inner ?? leader, 'SIGTERM')
  for (let round = 0; signalGroup(leader, 0) && round < rounds; round++) await sleep(POLL_MS)
  killGroup(leader)
}

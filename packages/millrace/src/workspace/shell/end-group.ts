import { setTimeout as sleep } from 'node:timers/promises'
import { killGroup, signalGroup } from '../../process-groups/index.ts'

const POLL_MS = 20

/** Options of {@link endGroup}. */
export interface EndOptions {
  /** Delay between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** The group that receives SIGTERM if the tracked group only holds a sandbox, which ends with it. */
  readonly inner: number | undefined
}

/** Ends all processes of a group: by SIGTERM, and after `graceMs` by SIGKILL. */
export async function endGroup(leader: number, { graceMs, inner }: EndOptions): Promise<void> {
  const rounds = Math.ceil(graceMs / POLL_MS)
  signalGroup(inner ?? leader, 'SIGTERM')
  for (let round = 0; signalGroup(leader, 0) && round < rounds; round++) await sleep(POLL_MS)
  killGroup(leader)
}

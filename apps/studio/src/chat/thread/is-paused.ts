import type { RunMark } from 'millrace'
import { readString } from '../../json/read-field.ts'

/** Tells whether a run has only paused: it waits for someone. */
export function isPaused({ end }: RunMark): boolean {
  return readString(end, 'stop_reason')?.startsWith('awaiting_') ?? false
}

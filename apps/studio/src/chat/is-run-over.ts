import type { AgentNode } from 'millrace'
import { readString } from '../text/read-field.ts'

/** Tells whether a run is over: the next one has begun, or it has ended; a pause is no end. */
export function isRunOver({ runs }: Pick<AgentNode, 'runs'>, position: number): boolean {
  if (position < runs.length - 1) return true
  const reason = readString(runs.at(position)?.end, 'stop_reason')
  return reason !== undefined && !reason.startsWith('awaiting_')
}

import type { AgentNode } from 'millrace'
import { isPaused } from './is-paused.ts'

/** Tells whether a run is over: the next one has begun, or it has ended; a pause is no end. */
export function isRunOver({ runs }: Pick<AgentNode, 'runs'>, position: number): boolean {
  if (position < runs.length - 1) return true
  const run = runs.at(position)
  return run?.end !== undefined && !isPaused(run)
}

import type { StreamEvent } from '../decode/stream-event.ts'
import type { RuleContext } from './frame-rules.ts'

/** A rule for an event; returns the fault, or undefined. */
interface LifecycleRule {
  readonly id: string
  fault(event: StreamEvent, context: RuleContext): string | undefined
}

/** The rules for the order of events, in the order of PROTOCOL.md. */
export const lifecycleRules: readonly LifecycleRule[] = [
  { id: 'LIFE-1', fault: beforeStart },
  { id: 'LIFE-3', fault: notAfterBlock },
  { id: 'LIFE-5', fault: withoutCall },
  { id: 'LIFE-6', fault: outOfPhase },
  { id: 'LIFE-10', fault: withoutParent },
]

function beforeStart(_: StreamEvent, { row, track }: RuleContext): string | undefined {
  if (track.phase !== 'unknown' || row?.startsRun === true) return undefined
  return 'comes before the meta_init of its agent'
}

function notAfterBlock(_: StreamEvent, { row, track }: RuleContext): string | undefined {
  const { place, partOf } = row ?? {}
  const { last, hasPast } = track
  if (place !== 'after' || (last === undefined && hasPast)) return undefined
  const isAfterBlock = last?.type === partOf && last?.isComplete === true
  return isAfterBlock || last?.partOf === partOf ? undefined : `does not follow its ${partOf}`
}

function withoutCall(event: StreamEvent, { row, track }: RuleContext): string | undefined {
  if (row?.needsCall !== true || !('start' in event && event.end)) return undefined
  const call = track.calls.get(event.wireId)
  if (call === 'open' || (call === undefined && track.hasPast)) return undefined
  return call === undefined ? 'answers no call of its run' : 'answers a call that has its result'
}

function outOfPhase(_: StreamEvent, { row, track: { phase } }: RuleContext): string | undefined {
  // Types of newer versions are allowed in every phase.
  if (phase === 'unknown' || phase === 'running' || row === undefined) return undefined
  return row.allowedIn?.includes(phase) ? undefined : `cannot come while its agent is ${phase}`
}

function withoutParent(event: StreamEvent, { row, track }: RuleContext): string | undefined {
  if (row?.startsRun !== true || track.isRoot || track.hasPast) return undefined
  const hasParent = 'parentAgent' in event && event.parentAgent !== undefined
  return hasParent ? undefined : 'of a sub-agent names no parent'
}

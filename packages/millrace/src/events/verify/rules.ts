import { canBeInterrupted } from '../catalog/find-traits.ts'
import { parseJsonOr } from '../../json/index.ts'
import type { Envelope } from '../envelope/envelope.ts'
import type { EnvelopeTraits } from '../catalog/envelope-traits.ts'
import { type AgentTrack, keyInAgent, mayHaveBegunBefore } from './agent-track.ts'
import type { StreamEvent } from '../decode/stream-event.ts'

/** The state of an agent and the traits of a frame that rules read. */
export interface RuleContext {
  readonly row: EnvelopeTraits | undefined
  readonly track: AgentTrack
}

/** A rule for a frame or a joined block; returns the fault, or undefined. */
export interface FrameRule {
  readonly id: string
  /** Whether the rule checks each `frame`, or each `whole` block and item. */
  readonly of: 'frame' | 'whole'
  fault(subject: Envelope, context: RuleContext): string | undefined
}

const fieldKinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
}

/** The rules for the form of frames, in the order of PROTOCOL.md. */
export const frameRules: readonly FrameRule[] = [
  { id: 'ENV-4', of: 'whole', fault: missingField },
  { id: 'ENV-5', of: 'whole', fault: wrongDelta },
  { id: 'ENV-6', of: 'frame', fault: contentInFinal },
  { id: 'LIFE-2', of: 'frame', fault: blocksLeftOpen },
  { id: 'LIFE-4', of: 'frame', fault: outsideOfBlock },
  { id: 'LIFE-14', of: 'frame', fault: interruptedEarly },
]

function missingField(whole: Envelope, { row, track }: RuleContext): string | undefined {
  if (row === undefined || mayHaveBegunBefore(track, whole)) return undefined
  const isWrong = ([name, kind]: [string, string]) => fieldKinds[kind]?.(whole[name]) === false
  const { required: needed = {}, optional: known = {} } = row
  const required = Object.entries(needed).find(isWrong)
  if (required !== undefined) return `lacks the ${required[1]} \`${required[0]}\``
  const optional = Object.entries(known).find((field) => field[0] in whole && isWrong(field))
  return optional && `has a \`${optional[0]}\` that is not of type ${optional[1]}`
}

function wrongDelta(whole: Envelope, { row, track }: RuleContext): string | undefined {
  if (row?.delta === 'empty' && whole.delta !== '') return 'must have an empty delta'
  const isExcused = whole['interrupted'] === true || mayHaveBegunBefore(track, whole)
  if (row?.delta !== 'json' || isExcused || parseJsonOr(whole.delta, undefined) !== undefined)
    return undefined
  return 'has a delta that is not valid JSON'
}

function contentInFinal(frame: Envelope, { row }: RuleContext): string | undefined {
  const isClosing = frame.final && row?.emission === 'incremental'
  // A frame merged for catch-up contains the last text and the end. [LOG-5]
  if (!isClosing || frame.delta === '' || (frame.span ?? 1) > 1) return undefined
  return 'closes an incremental block and must have an empty delta'
}

function blocksLeftOpen(frame: Envelope, { row, track }: RuleContext): string | undefined {
  if (row?.needsClosedBlocks !== true) return undefined
  const others = [...track.open].filter((key) => key !== keyInAgent(frame))
  return others.length === 0 ? undefined : `comes while ${others.join(', ')} is open`
}

function outsideOfBlock(frame: Envelope, { row, track }: RuleContext): string | undefined {
  if (row?.place !== 'inside' || row.partOf === undefined) return undefined
  if (frame.final) return 'must not be final'
  const block = { ...frame, type: row.partOf }
  const isInside = track.open.has(keyInAgent(block)) || mayHaveBegunBefore(track, block)
  return isInside ? undefined : `has no open ${row.partOf} with id ${String(frame.id)}`
}

function interruptedEarly({ type, final, interrupted }: Envelope): string | undefined {
  if (interrupted === undefined || final || !canBeInterrupted(type)) return undefined
  return 'has `interrupted` before the end of its block'
}

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

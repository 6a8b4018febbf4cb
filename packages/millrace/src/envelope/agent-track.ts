import { parseJsonObject } from '../json/index.ts'
import { isPauseReason, type RunPhase, traitsOf } from './catalog.ts'
import { blockKey, type Envelope } from './envelope.ts'

/** Where an agent's run stands, as far as its messages tell. */
export type AgentPhase = 'unknown' | RunPhase

/** What a verifier remembers of one agent. */
export interface AgentTrack {
  phase: AgentPhase
  /** The first agent of a stream; in one that began in the middle of a log nobody knows. */
  readonly isRoot: boolean
  /** The stream began in the middle of a log, so what a message goes back to may stand before it. */
  readonly hasPast: boolean
  /** Whether the run has said `meta_end` since it last went on. */
  hasEnded: boolean
  /** Keys of the blocks that are open. */
  readonly open: Set<string>
  /** Keys of the blocks and items that were completed at least once, so that the next begins in this stream. */
  readonly known: Set<string>
  /** The last message of a known type. */
  last: Envelope | undefined
  /** The calls of this run, and whether each has its result. */
  readonly calls: Map<string, 'open' | 'answered'>
}

/** A track of an agent that has said nothing yet. */
export function createAgentTrack(isRoot: boolean, hasPast: boolean): AgentTrack {
  return {
    phase: hasPast ? 'running' : 'unknown',
    isRoot,
    hasPast,
    hasEnded: false,
    open: new Set(),
    known: new Set(),
    last: undefined,
    calls: new Map(),
  }
}

/** Tells whether a block or item may have begun before the stream did. */
export function mayHaveBegunBefore(track: AgentTrack, message: Envelope): boolean {
  return track.hasPast && !track.known.has(blockKey(message))
}

/** Takes one message into account. */
export function trackMessage(track: AgentTrack, message: Envelope): void {
  const traits = traitsOf(message.type)
  if (traits !== undefined && traits.isBeside !== true) track.last = message
  if (traits?.unit === 'item') return
  if (message.final) track.open.delete(blockKey(message))
  else track.open.add(blockKey(message))
}

/** Takes one whole block or item into account. */
export function trackWhole(track: AgentTrack, whole: Envelope): void {
  const { type, id } = whole
  if (track.hasPast) track.known.add(blockKey(whole))
  const phase = traitsOf(type)?.phase
  if (phase === 'ended') endRun(track, whole)
  else track.phase = phase ?? track.phase
  if (type === 'meta_init' || type === 'tool_result') track.hasEnded = false
  if (type === 'tool_call' && id !== undefined) track.calls.set(id, 'open')
  if (type === 'tool_result' && id !== undefined) track.calls.set(id, 'answered')
}

/** An agent whose sub-agents wait has nothing to announce itself: its end says that it waits. [LIFE-12] */
function endRun(track: AgentTrack, { delta }: Envelope): void {
  track.hasEnded = true
  if (isPauseReason(parseJsonObject(delta)?.['stop_reason'])) track.phase = 'paused'
  if (track.phase === 'paused') return
  track.phase = 'ended'
  track.calls.clear()
}

import { type Envelope } from '../envelope/envelope.ts'
import { type EnvelopeTraits, type RunPhase } from '../catalog/envelope-traits.ts'
import { isPauseReason, traitsOfEvent } from '../catalog/find-traits.ts'
import type { StreamEvent } from '../decode/stream-event.ts'

/** The state of one agent in a verified stream. */
export interface AgentTrack {
  phase: 'unknown' | RunPhase
  /** Whether it is the first agent of a stream; unknown in a stream that starts inside a log. */
  readonly isRoot: boolean
  /** Whether the stream starts inside a log, so that events may refer to earlier ones. */
  readonly hasPast: boolean
  /** Whether the run has ended or paused since it last continued. */
  hasEnded: boolean
  /** Keys of the open blocks. */
  readonly open: Set<string>
  /** Keys of the blocks and items completed in this stream, so that the next one with the key starts in it. */
  readonly known: Set<string>
  /** The last event of a known type, and whether it completes its block. */
  last: (Pick<EnvelopeTraits, 'partOf'> & { type: string; isComplete: boolean }) | undefined
  /** The calls of this run and whether each has a result. */
  readonly calls: Map<string, 'open' | 'answered'>
}

/** Creates the track of an agent without events. */
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

/** Returns the key of a block or an item among those of its agent. [ENV-7] */
export function keyInAgent({ type, id }: Pick<Envelope, 'type' | 'id'>): string {
  return id === undefined ? type : `${type} ${id}`
}

/** Checks whether a block or item may have started before the stream. */
export function mayHaveBegunBefore(
  track: AgentTrack,
  frame: Pick<Envelope, 'type' | 'id'>,
): boolean {
  return track.hasPast && !track.known.has(keyInAgent(frame))
}

/** Updates the open blocks. */
export function trackFrame(
  track: AgentTrack,
  frame: Envelope,
  row: EnvelopeTraits | undefined,
): void {
  if (frame.final) track.open.delete(keyInAgent(frame))
  else if (!row?.isItem) track.open.add(keyInAgent(frame))
}

/** Updates the phase, the calls and the last event. */
export function trackEvent(track: AgentTrack, event: StreamEvent, row: EnvelopeTraits): void {
  const isComplete = !('start' in event) || event.end
  if (row.isBeside !== true) track.last = { ...row, type: event.type, isComplete }
  if (!isComplete) return
  if (row.phase === 'ended') endRun(track, event)
  else track.phase = row.phase ?? track.phase
  if (row.startsRun === true || row.needsCall === true) track.hasEnded = false
  if (!('callId' in event)) return
  if (row.needsCall === true) track.calls.set(event.callId, 'answered')
  else if (traitsOfEvent(row.answeredBy ?? '')?.needsCall === true)
    track.calls.set(event.callId, 'open')
}

/** Ends or pauses a run. An agent whose sub-agents wait announces no pause; its end names the pause. [LIFE-12] */
function endRun(track: AgentTrack, event: StreamEvent): void {
  track.hasEnded = true
  if ('stopReason' in event && isPauseReason(event.stopReason)) track.phase = 'paused'
  if (track.phase === 'paused') return
  track.phase = 'ended'
  track.calls.clear()
}

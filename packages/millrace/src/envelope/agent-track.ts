import { traitsOf } from './catalog.ts'
import { blockKey, type Envelope } from './envelope.ts'

/** Where an agent's run stands, as far as its messages tell. */
export type AgentPhase = 'unknown' | 'running' | 'paused' | 'failed' | 'ended'

/** What a verifier remembers of one agent. */
export interface AgentTrack {
  phase: AgentPhase
  /** The stream began in the middle of a log, so calls and texts may stand before it. */
  readonly hasPast: boolean
  /** Whether the run has said `meta_end` since it last went on. */
  hasEnded: boolean
  /** Keys of the blocks that are open. */
  readonly open: Set<string>
  /** The type of the last block or item that was completed. */
  lastClosed: string | undefined
  /** The calls of this run, and whether each has its result. */
  readonly calls: Map<string, 'open' | 'answered'>
}

/** A track of an agent that has said nothing yet. */
export function createAgentTrack(hasPast: boolean): AgentTrack {
  return {
    phase: hasPast ? 'running' : 'unknown',
    hasPast,
    hasEnded: false,
    open: new Set(),
    lastClosed: undefined,
    calls: new Map(),
  }
}

/** Which phase a completed message leads to; types that are not named keep the phase. */
const nextPhase: Readonly<Record<string, AgentPhase>> = {
  meta_init: 'running',
  tool_result: 'running',
  awaiting_frontend_tools: 'paused',
  awaiting_approval: 'paused',
  error: 'failed',
}

/** Takes one message into account. */
export function trackMessage(track: AgentTrack, message: Envelope): void {
  const key = blockKey(message)
  const isBlock = traitsOf(message.type)?.unit !== 'item'
  if (isBlock && message.final) track.open.delete(key)
  else if (isBlock) track.open.add(key)
}

/** Takes one whole block or item into account. */
export function trackWhole(track: AgentTrack, whole: Envelope): void {
  track.lastClosed = whole.type
  track.phase = nextPhase[whole.type] ?? track.phase
  if (whole.type === 'meta_init' || whole.type === 'tool_result') track.hasEnded = false
  if (whole.type === 'meta_end') endRun(track)
  if (whole.type === 'tool_call' && whole.id !== undefined) track.calls.set(whole.id, 'open')
  if (whole.type === 'tool_result' && whole.id !== undefined) track.calls.set(whole.id, 'answered')
}

function endRun(track: AgentTrack): void {
  track.hasEnded = true
  if (track.phase === 'paused') return
  track.phase = 'ended'
  track.calls.clear()
}

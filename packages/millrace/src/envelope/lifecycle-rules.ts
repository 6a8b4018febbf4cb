import { isJsonObject } from '../json/index.ts'
import { type AgentTrack, mayHaveBegunBefore } from './agent-track.ts'
import { canBeInterrupted, isAllowedIn, traitsOf } from './catalog.ts'
import { blockKey, type Envelope } from './envelope.ts'

/** A rule of the protocol that one message can break; the answer says how, or is undefined. */
export interface LifecycleRule {
  readonly id: string
  /** Asked of each `message` as it comes, or of each `whole` block and item. */
  readonly of: 'message' | 'whole'
  fault(subject: Envelope, track: AgentTrack): string | undefined
}

const fieldKinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
}

/** The rules that a stream is verified against, in the order of PROTOCOL.md. */
export const lifecycleRules: readonly LifecycleRule[] = [
  { id: 'ENV-4', of: 'whole', fault: missingField },
  { id: 'ENV-5', of: 'whole', fault: wrongDelta },
  { id: 'ENV-6', of: 'message', fault: contentInFinal },
  { id: 'LIFE-1', of: 'message', fault: beforeInit },
  { id: 'LIFE-2', of: 'message', fault: blocksLeftOpen },
  { id: 'LIFE-3', of: 'message', fault: strayCitation },
  { id: 'LIFE-4', of: 'message', fault: strayImage },
  { id: 'LIFE-5', of: 'whole', fault: strayResult },
  { id: 'LIFE-6', of: 'message', fault: outOfPhase },
  { id: 'LIFE-10', of: 'whole', fault: orphanAgent },
  { id: 'LIFE-14', of: 'message', fault: interruptedEarly },
]

function missingField(whole: Envelope, track: AgentTrack): string | undefined {
  const traits = traitsOf(whole.type)
  if (traits === undefined || mayHaveBegunBefore(track, whole)) return undefined
  const isWrong = ([name, kind]: [string, string]) => fieldKinds[kind]?.(whole[name]) === false
  const required = Object.entries(traits.required).find(isWrong)
  if (required !== undefined) return `lacks the ${required[1]} \`${required[0]}\``
  const optional = Object.entries(traits.optional).find(
    (field) => field[0] in whole && isWrong(field),
  )
  return optional && `has a \`${optional[0]}\` that is no ${optional[1]}`
}

function wrongDelta(whole: Envelope, track: AgentTrack): string | undefined {
  const content = traitsOf(whole.type)?.delta
  if (content === 'empty' && whole.delta !== '') return 'must have an empty delta'
  const isExcused = whole['interrupted'] === true || mayHaveBegunBefore(track, whole)
  if (content !== 'json' || isExcused) return undefined
  return parse(whole.delta) === undefined
    ? 'has a delta that is not JSON once it is whole'
    : undefined
}

function contentInFinal(message: Envelope): string | undefined {
  const isClosing = message.final && traitsOf(message.type)?.emission === 'incremental'
  // A message merged for catch-up stands for the last piece and the final one. [LOG-5]
  if (!isClosing || message.delta === '' || (message.span ?? 1) > 1) return undefined
  return 'closes an incremental block and must have an empty delta'
}

function beforeInit(message: Envelope, track: AgentTrack): string | undefined {
  if (track.phase !== 'unknown' || message.type === 'meta_init') return undefined
  return 'comes before the meta_init of its agent'
}

function blocksLeftOpen(message: Envelope, track: AgentTrack): string | undefined {
  if (traitsOf(message.type)?.needsClosedBlocks !== true) return undefined
  const others = [...track.open].filter((key) => key !== blockKey(message))
  return others.length === 0 ? undefined : `comes while ${namesOf(others)} is open`
}

function strayCitation(message: Envelope, { last, hasPast }: AgentTrack): string | undefined {
  if (message.type !== 'citation' || (last === undefined && hasPast)) return undefined
  const isAfterText = last?.type === 'text' && last.final
  return isAfterText || last?.type === 'citation' ? undefined : 'does not follow its text'
}

function strayImage(message: Envelope, track: AgentTrack): string | undefined {
  if (message.type !== 'tool_result_image') return undefined
  if (message.final) return 'must not be final'
  const result = { ...message, type: 'tool_result' }
  const isInside = track.open.has(blockKey(result)) || mayHaveBegunBefore(track, result)
  return isInside ? undefined : `has no open tool_result with id ${String(message.id)}`
}

function strayResult(whole: Envelope, track: AgentTrack): string | undefined {
  if (whole.type !== 'tool_result') return undefined
  const call = track.calls.get(whole.id ?? '')
  if (call === 'open' || (call === undefined && track.hasPast)) return undefined
  return call === undefined ? 'answers no call of its run' : 'answers a call that has its result'
}

function outOfPhase(message: Envelope, track: AgentTrack): string | undefined {
  const { phase } = track
  if (phase === 'unknown' || isAllowedIn(message.type, phase)) return undefined
  return `cannot come while its agent is ${phase}`
}

function orphanAgent(whole: Envelope, { isRoot, hasPast }: AgentTrack): string | undefined {
  if (whole.type !== 'meta_init' || isRoot || hasPast) return undefined
  const meta = parse(whole.delta)
  const parent = isJsonObject(meta) ? meta['parent_agent_uuid'] : undefined
  return typeof parent === 'string' ? undefined : 'of a sub-agent names no parent'
}

function interruptedEarly({ type, final, interrupted }: Envelope): string | undefined {
  if (interrupted === undefined || final || !canBeInterrupted(type)) return undefined
  return 'says `interrupted` before the end of its block'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function namesOf(keys: readonly string[]): string {
  return keys.map((key) => key.split('\n').slice(1).join(' ')).join(', ')
}

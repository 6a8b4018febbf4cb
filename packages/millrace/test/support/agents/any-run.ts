import fc from 'fast-check'
import {
  type AgentEvent,
  type BlockKind,
  type ContentBlock,
  toCitation,
  toErrorEvent,
} from '../../../src/events/index.ts'

const usage = { input_tokens: 1, output_tokens: 1 }

/** Text of every kind that is hard to escape or to cut. */
const hardText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('\ud800', '\u0000', '\u2028', '😀', '"\\\n'),
  fc
    .tuple(fc.constantFrom('x', '\u0001', 'é', '😀'), fc.nat(3000))
    .map(([unit, times]) => unit.repeat(times)),
)

/** A possible next move of one of two agents; moves that are invalid at their time are skipped. */
export const anyMove = fc.record({
  agent: fc.constantFrom('a1', 'a2'),
  does: fc.constantFrom<CallUpdate>(
    ...(['start', 'delta', 'delta', 'delta', 'cite', 'end', 'result'] as const),
    ...(['step', 'rollback', 'finish', 'fail', 'pause'] as const),
  ),
  kind: fc.constantFrom<BlockKind>(
    ...(['text', 'text', 'thinking', 'tool_call'] as const),
    ...(['server_tool_call', 'server_tool_result', 'other'] as const),
  ),
  text: hardText,
  citation: fc.record({
    type: fc.constantFrom('char_location', 'page_location', 'odd_location'),
    cited_text: hardText,
    title: hardText,
    odd: fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
  }),
  pick: fc.nat(),
})

type Move = typeof anyMove extends fc.Arbitrary<infer Value> ? Value : never
type CallUpdate =
  | ('start' | 'delta' | 'cite' | 'end' | 'result')
  | ('step' | 'rollback' | 'finish' | 'fail' | 'pause')

interface OpenBlock {
  readonly kind: BlockKind
  readonly content: ContentBlock
  text: string
  isCited: boolean
}

interface Track {
  readonly open: Map<number, OpenBlock>
  /** Calls without a result. */
  calls: string[]
  /** Calls of the current step, which a rollback voids. */
  readonly recent: Set<string>
  isRunning: boolean
}

/** A valid run of two agents, and the expected content of its readers. */
export interface PlayedRun {
  readonly events: AgentEvent[]
  /** `agent type content` of each block and result, in the order in which they are closed. */
  readonly expected: string[]
}

/** Executes moves like agents; `isLive` states whether calls count as seen before they are complete. */
export function playRun(moves: readonly Move[], isLive: boolean): PlayedRun {
  const events: AgentEvent[] = []
  const expected: string[] = []
  const tracks = new Map<string, Track>()
  let ids = 0

  const isPiecewise = ({ kind }: OpenBlock) =>
    kind === 'text' || kind === 'thinking' || (isLive && kind.endsWith('call'))

  function trackOf({ agent, text }: Pick<Move, 'agent' | 'text'>): Track {
    const track = tracks.get(agent) ?? {
      open: new Map(),
      calls: [],
      recent: new Set(),
      isRunning: false,
    }
    tracks.set(agent, track)
    if (!track.isRunning) {
      const [root] = tracks.keys()
      const start = { runId: 'r', prompt: text, model: 'm', messages: [] }
      const parent = root === undefined || root === agent ? {} : { parentAgent: root }
      events.push({ type: 'run_start', agent, ...start, ...parent })
      track.calls.length = 0
      track.recent.clear()
    }
    track.isRunning = true
    return track
  }

  function cut(agent: string, { open }: Track): void {
    for (const block of open.values()) {
      const isSeen = isPiecewise(block) && (block.text !== '' || block.isCited)
      if (isSeen) expected.push(`${agent} ${block.kind} ${block.text}`)
    }
    open.clear()
  }

  function finish(agent: string, track: Track, stopReason: string): void {
    events.push({ type: 'run_end', agent, stopReason, steps: 1, usage, messages: [], files: [] })
    track.isRunning = false
  }

  function endBlock(agent: string, number: number, block: OpenBlock, track: Track): void {
    const { kind, content, text } = block
    const isCall = kind.endsWith('call')
    const inputText = text === '' ? '{}' : text
    if (kind === 'tool_call') {
      track.calls.push(String(content['id']))
      track.recent.add(String(content['id']))
    }
    if (isCall || isPiecewise(block)) expected.push(`${agent} ${kind} ${isCall ? inputText : text}`)
    track.open.delete(number)
    events.push({ type: 'block_end', agent, block: number, kind, content, inputText })
  }

  const deeds: Record<CallUpdate, (move: Move, track: Track) => void> = {
    start({ agent, kind, text }, { open }) {
      if (open.size === 3) return
      const id = `t${++ids}`
      const content = {
        type: `${kind}_block`,
        id,
        name: text.slice(0, 30),
        input: {},
        content: text,
      }
      open.set(ids, { kind, content, text: '', isCited: false })
      events.push({ type: 'block_start', agent, block: ids, kind, content })
    },
    delta({ agent, text, pick }, { open }) {
      const [number, block] = picked(open, pick)
      if (block === undefined) return
      const piece = block.kind.endsWith('call') ? `"${pick}"` : text
      block.text += piece
      events.push({ type: 'block_delta', agent, block: number, text: piece })
    },
    cite({ agent, citation, pick }, { open }) {
      const [number, block] = picked(open, pick)
      if (block?.kind !== 'text') return
      block.isCited = true
      events.push({ type: 'citation', agent, block: number, ...toCitation(citation) })
    },
    end({ agent, pick }, track) {
      const [number, block] = picked(track.open, pick)
      if (block !== undefined) endBlock(agent, number, block, track)
    },
    result({ agent, text, pick }, { calls }) {
      const id = calls.pop()
      if (id === undefined) return
      expected.push(`${agent} tool_result ${text}`)
      const image = { src: `data:image/png;base64,${text}`, mediaType: 'image/png' }
      const images = pick % 3 === 0 ? [image] : []
      const isError = pick % 2 === 0
      events.push({ type: 'tool_result', agent, callId: id, name: 'f', text, images, isError })
    },
    step({ agent }, track) {
      cut(agent, track)
      track.recent.clear()
      events.push({ type: 'step_end', agent, step: 1, stopReason: 'tool_use', usage })
    },
    rollback({ agent, text }, track) {
      cut(agent, track)
      // No rolled-back call runs.
      track.calls = track.calls.filter((id) => !track.recent.has(id))
      track.recent.clear()
      events.push({ type: 'rollback', agent, step: 1, attempt: 2, reason: text })
    },
    finish({ agent }, track) {
      cut(agent, track)
      finish(agent, track, 'end_turn')
    },
    fail({ agent, text }, track) {
      cut(agent, track)
      const error = { type: 't', message: text, code: 'c', retriable: true }
      events.push(toErrorEvent(agent, error))
      finish(agent, track, 'error')
    },
    pause({ agent, text }, track) {
      cut(agent, track)
      events.push({
        type: 'awaiting_frontend_tools',
        agent,
        calls: [{ id: 'p', name: 'f', inputText: text }],
      })
      finish(agent, track, 'awaiting_frontend_tools')
    },
  }

  for (const move of moves) deeds[move.does](move, trackOf(move))
  for (const [agent, track] of tracks) {
    if (!track.isRunning) continue
    cut(agent, track)
    finish(agent, track, 'aborted')
  }
  return { events, expected }
}

function picked(open: ReadonlyMap<number, OpenBlock>, pick: number): [number, OpenBlock?] {
  return [...open][pick % Math.max(1, open.size)] ?? [-1]
}

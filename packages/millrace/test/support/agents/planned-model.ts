import fc from 'fast-check'
import {
  type BlockKind,
  type ContentBlock,
  isProviderEnd,
  type Message,
  type MessageEnd,
  type MessageOutcome,
  type Model,
  type ModelEvent,
  type ModelRequest,
  retryOfCut,
} from '../../../src/events/index.ts'
import { signThinking } from '../../../../tools/src/emulator/thinking-signature.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import type { Stage } from './stage.ts'

/** A planned block of a model; the id of a call is assigned when it is written. */
type PlannedPart =
  | { readonly says: 'text' | 'blank' | 'thought' | 'search' }
  | { readonly calls: string; readonly input: JsonObject }
  | { readonly spawns: 'new' | 'again' | 'nobody' | 'nothing' | 'stranger' }

/** The planned answer of a model, and its end. */
export interface PlannedReply {
  readonly parts: readonly PlannedPart[]
  readonly ends: 'fine' | 'asking' | 'cut' | 'failed' | 'full' | 'truncated' | 'refused' | 'paused'
}

/** The requests of models, and their usage. */
export interface ModelWatch {
  readonly requests: ModelRequest[]
  tokens: number
  ids: number
}

const toolNames = ['quick', 'slow', 'safe', 'bad', 'chatty', 'guarded', 'judged', 'confirm', 'sign']
const waitingTools = ['guarded', 'confirm', 'sign']

const said = fc.constantFrom('text', 'blank', 'thought', 'search').map(toSaid)
const spawned = fc.record({
  spawns: fc.constantFrom(
    ...(['new', 'new', 'new', 'new', 'new', 'new', 'again', 'again'] as const),
    ...(['nobody', 'nothing', 'stranger'] as const),
  ),
})

function called(names: readonly string[]): fc.Arbitrary<PlannedPart> {
  const input = fc.constantFrom<JsonObject>({}, { danger: true })
  return fc.record({ calls: fc.constantFrom(...names), input })
}

function toSaid(says: 'text' | 'blank' | 'thought' | 'search'): PlannedPart {
  return { says }
}

/** The tendencies of a model. */
export interface ModelTemper {
  readonly spawns: number
  readonly waits: number
}

/** Any answer of a model, with some kinds preferred. */
export function anyReply({ spawns, waits }: ModelTemper): fc.Arbitrary<PlannedReply> {
  const part = fc.oneof(
    { weight: 2, arbitrary: said },
    { weight: 3, arbitrary: called([...toolNames, 'ghost']) },
    { weight: waits, arbitrary: called(waitingTools) },
    { weight: spawns, arbitrary: spawned },
  )
  return fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 4, size: 'max' }),
    ends: fc.constantFrom(
      ...Array.from({ length: 24 }, () => 'fine' as const),
      ...([
        'asking',
        'cut',
        'cut',
        'failed',
        'full',
        'truncated',
        'refused',
        'paused',
        'paused',
      ] as const),
    ),
  })
}

const usage = { input_tokens: 2, output_tokens: 1 }
const kinds: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'thinking',
  tool_use: 'tool_call',
  server_tool_use: 'server_tool_call',
  web_search_tool_result: 'server_tool_result',
}

/** The naming of calls by a provider: distinct names, by their number in the conversation, or one name for all. [CALL-1] */
export type CallNaming = 'unique' | 'numbered' | 'same'

/** The output of a planned model, and the agents to which it gives tasks. */
export interface ModelPlan {
  readonly replies: readonly PlannedReply[]
  readonly subagent: string
  readonly naming: CallNaming
}

/** Creates a model that answers by a plan, at the pace of a stage; after the end of its plan it ends the run. */
export function createPlannedModel(
  { replies, subagent, naming }: ModelPlan,
  watch: ModelWatch,
  stage: Stage,
): Model {
  let asked = 0
  return {
    id: 'planned',
    stream(request, { signal = new AbortController().signal } = {}) {
      watch.requests.push(structuredClone(request))
      const reply = replies[asked++] ?? { parts: [{ says: 'text' }], ends: 'fine' }
      const toId = createNaming(naming, request, watch)
      const blocks = toBlocks(reply, { request, watch, subagent, toId })
      return say(blocks, reply, { watch, stage, signal })
    },
  }
}

interface ReplyOptions {
  readonly watch: ModelWatch
  readonly stage: Stage
  readonly signal: AbortSignal
}

async function* say(
  blocks: readonly ContentBlock[],
  { ends }: PlannedReply,
  { watch, stage, signal }: ReplyOptions,
): AsyncGenerator<ModelEvent> {
  const content: ContentBlock[] = []
  const finish = (outcome: MessageOutcome): MessageEnd => {
    watch.tokens += usage.input_tokens
    return toEnd(outcome, { content, ends })
  }
  await stage.pass(signal)
  if (signal.aborted) return yield finish('aborted')
  if (ends === 'full') return yield finish('failed')
  yield { type: 'message_start', messageId: 'm', model: 'planned' }
  for (const [block, whole] of blocks.entries()) {
    const kind = kinds[whole.type] ?? 'other'
    yield { type: 'block_start', block, kind, content: opened(whole) }
    if (kind === 'text') yield { type: 'block_delta', block, text: String(whole['text']) }
    await stage.pass(signal)
    if (signal.aborted) return yield finish('aborted')
    content.push(whole)
    const inputText = JSON.stringify(whole['input'] ?? {})
    const isCall = kind === 'tool_call'
    yield { type: 'block_end', block, kind, content: whole, ...(isCall && { inputText }) }
  }
  await stage.pass(signal)
  yield finish(signal.aborted ? 'aborted' : outcomes[ends])
}

const outcomes: Readonly<Record<PlannedReply['ends'], MessageOutcome>> = {
  fine: 'finished',
  asking: 'finished',
  cut: 'interrupted',
  failed: 'failed',
  full: 'failed',
  truncated: 'truncated',
  refused: 'refused',
  paused: 'paused',
}
const reasons: Partial<Record<PlannedReply['ends'], string>> = {
  asking: 'tool_use',
  truncated: 'max_tokens',
  refused: 'refusal',
  paused: 'pause_turn',
}

function toEnd(
  outcome: MessageOutcome,
  {
    content,
    ends,
  }: { readonly content: readonly ContentBlock[]; readonly ends: PlannedReply['ends'] },
): MessageEnd {
  const message = ends === 'full' ? 'prompt is too long' : 'no'
  const failure = { type: 'x', message, retriable: false }
  const isFailed = outcome === 'failed'
  const calls = content.some(({ type }) => type === 'tool_use')
  const reason = reasons[ends] ?? (calls ? 'tool_use' : 'end_turn')
  return {
    type: 'message_end',
    outcome,
    stopReason: isProviderEnd(outcome) ? reason : null,
    usage,
    content: [...content],
    ...(isFailed && { failure }),
    retry: isProviderEnd(outcome)
      ? 'none'
      : retryOfCut(outcome, {
          isBegun: content.length > 0,
          failure: isFailed ? failure : undefined,
        }),
  }
}

interface Asked {
  readonly request: ModelRequest
  readonly watch: ModelWatch
  readonly subagent: string
  /** The id of the next call, of a tool. */
  readonly toId: (name: string) => string
}

function createNaming(naming: CallNaming, { messages }: ModelRequest, watch: ModelWatch) {
  let calls = messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_use'),
  ).length
  const namings: Readonly<Record<CallNaming, (name: string) => string>> = {
    unique: () => `t${++watch.ids}`,
    numbered: (name) => `functions_${name}_${calls++}`,
    same: () => 'call',
  }
  return namings[naming]
}

/** The blocks of a reply. The results of pending provider calls come first. */
function toBlocks({ parts, ends }: PlannedReply, asked: Asked): ContentBlock[] {
  const { request, watch } = asked
  const written = parts.flatMap((one) => toBlock(one, asked))
  const last = { type: 'server_tool_use', id: `s${++watch.ids}`, name: 'web_search', input: {} }
  return [...waitingResults(request.messages), ...written, ...(ends === 'paused' ? [last] : [])]
}

function waitingResults(messages: readonly Message[]): ContentBlock[] {
  const blocks = messages.flatMap(({ content }) => content)
  const answered = new Set(blocks.map((block) => block['tool_use_id']))
  return blocks
    .filter(({ type, id = null }) => type === 'server_tool_use' && !answered.has(id))
    .map(({ id = null }) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] }))
}

function toBlock(planned: PlannedPart, { request, watch, subagent, toId }: Asked): ContentBlock[] {
  if ('says' in planned) return toWords(planned.says, watch)
  if ('calls' in planned) {
    const { calls: name } = planned
    // The mark identifies a call regardless of its id.
    return [
      { type: 'tool_use', id: toId(name), name, input: { ...planned.input, mark: ++watch.ids } },
    ]
  }
  const input = spawnInput(planned.spawns, request.messages, subagent)
  return [{ type: 'tool_use', id: toId('spawn_subagent'), name: 'spawn_subagent', input }]
}

function toWords(says: 'text' | 'blank' | 'thought' | 'search', watch: ModelWatch): ContentBlock[] {
  if (says === 'text') return [{ type: 'text', text: `word${++watch.ids}` }]
  if (says === 'blank') return [{ type: 'text', text: ' ' }]
  if (says === 'thought')
    return [{ type: 'thinking', thinking: 'hm', signature: signThinking('hm') }]
  const id = `s${++watch.ids}`
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: id, content: [] },
  ]
}

function spawnInput(
  spawns: 'new' | 'again' | 'nobody' | 'nothing' | 'stranger',
  messages: readonly Message[],
  subagent: string,
): JsonObject {
  const received = [...JSON.stringify(messages).matchAll(/Agent UUID: ([\w.-]+\d)/g)].at(-1)
  const uuid = received?.[1] ?? 'stranger'
  const agent_name = spawns === 'nobody' ? 'nobody' : subagent
  const task = spawns === 'nothing' ? ' ' : 'dig'
  if (spawns === 'again') return { agent_name, task, resume_agent_uuid: uuid }
  if (spawns === 'stranger') return { agent_name, task, resume_agent_uuid: 'stranger' }
  return { agent_name, task }
}

function opened(whole: ContentBlock): ContentBlock {
  return whole.type === 'text' ? { ...whole, text: '' } : whole
}

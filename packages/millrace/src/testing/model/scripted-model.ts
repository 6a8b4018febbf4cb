import { badRequest, checkOptions, type OptionTypes } from '../../errors/index.ts'
import {
  type ContentBlock,
  type CutBlock,
  type MessageEnd,
  type MessageOutcome,
  type Model,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  noUsage,
  retryOfCut,
  type Usage,
} from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { closeBlock, openBlock, toStopReason } from './speak-blocks.ts'

/** A call in a scripted answer. */
export interface ScriptedCall {
  readonly name: string
  readonly input?: JsonObject
  /** Default: `call_1`, `call_2` and so on, in the order of the calls of a model. */
  readonly id?: string
}

/** One answer of a scripted model. */
export interface ScriptedAnswer {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Ends the answer with a failure, after its text. A failure is not retriable by default. */
  readonly error?: string | (Partial<ModelFailure> & Pick<ModelFailure, 'message'>)
  /** Default: `tool_use` for an answer with calls, else `end_turn`. */
  readonly stopReason?: string
  /** Default: zero. */
  readonly usage?: Usage
}

/** An entry of a script: a text, an answer, or a function that returns one of them for a request. */
export type ScriptEntry =
  | string
  | ScriptedAnswer
  | ((request: ModelRequest) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>)

/** A model that answers by a script and records its requests. */
export interface ScriptedModel extends Model {
  /** The requests so far, oldest first. */
  readonly requests: readonly ModelRequest[]
}

const answerTypes: OptionTypes<ScriptedAnswer> = {
  thinking: 'string',
  text: 'string',
  calls: 'list',
  error: 'any',
  stopReason: 'string',
  usage: 'object',
}
const callTypes: OptionTypes<ScriptedCall> = { name: 'string', input: 'object', id: 'string' }

/**
 * Creates a model for tests that gives the answers of a script, one for each request. A request after the end of the script fails.
 */
export function scriptedModel(
  script: readonly ScriptEntry[],
  options: { readonly id?: string } = {},
): ScriptedModel {
  checkOptions('scriptedModel', { script, ...options }, { script: 'list', id: 'string' })
  for (const entry of script) if (typeof entry !== 'function') toAnswer(entry)
  const { id = 'scripted' } = options
  const requests: ModelRequest[] = []
  let calls = 0
  const toBlocks = ({ thinking, text, calls: given = [] }: ScriptedAnswer): ContentBlock[] => [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'scripted' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...given.map(({ name, input = {}, id: callId = `call_${++calls}` }) => {
      return { type: 'tool_use', id: callId, name, input }
    }),
  ]
  return {
    id,
    requests,
    async *stream(request, { signal } = {}) {
      const number = requests.push(structuredClone(request))
      const entry = script[number - 1] ?? outOfScript(number, script.length)
      const answer = toAnswer(typeof entry === 'function' ? await entry(request) : entry)
      const start = { type: 'message_start', messageId: `msg_${number}`, model: id } as const
      yield* speak(start, { answer, blocks: toBlocks(answer) }, signal)
    },
  }
}

function toAnswer(entry: string | ScriptedAnswer): ScriptedAnswer {
  if (typeof entry === 'string') return { text: entry }
  checkOptions('scriptedModel', entry, answerTypes)
  for (const call of entry.calls ?? []) {
    checkOptions('scriptedModel', call, callTypes)
    if (call.name === undefined) throw badRequest('A call of a scripted answer needs a `name`.')
  }
  return entry
}

function outOfScript(number: number, length: number): ScriptedAnswer {
  const message = `The script of scriptedModel has ${length} answers, and this is request ${number}; add an answer.`
  return { error: { type: 'script_ended', message } }
}

interface Speech {
  readonly answer: ScriptedAnswer
  readonly blocks: readonly ContentBlock[]
}

async function* speak(
  start: ModelEvent,
  { answer, blocks }: Speech,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent, void, undefined> {
  yield start
  const whole: ContentBlock[] = []
  // A failure cuts the last block, unless that is a call.
  const hasCut = answer.error !== undefined && blocks.at(-1)?.type === 'text'
  for (const [block, content] of blocks.entries()) {
    let text = ''
    for (const event of openBlock(block, content)) {
      if (signal?.aborted === true) return yield toAborted(content.type === 'text', text, whole)
      if (event.type === 'block_delta') text += event.text
      yield event
    }
    const isCut = hasCut && block === blocks.length - 1
    if (!isCut) yield closeBlock(block, content)
    whole.push(content)
  }
  yield answer.error === undefined ? toEnd(answer, whole) : toFailed(answer, whole, hasCut)
}

/** The outcomes of stop reasons; any other reason is a normal end. */
const outcomes = new Map<string, 'truncated' | 'refused' | 'paused'>([
  ['max_tokens', 'truncated'],
  ['length', 'truncated'],
  ['refusal', 'refused'],
  ['content_filter', 'refused'],
  ['pause_turn', 'paused'],
])

function toEnd(answer: ScriptedAnswer, content: readonly ContentBlock[]): MessageEnd {
  const { stopReason = toStopReason(content), usage = noUsage } = answer
  const outcome: MessageOutcome = outcomes.get(stopReason) ?? 'finished'
  const retry = outcome === 'paused' ? 'continue' : 'none'
  return { type: 'message_end', outcome, stopReason, usage, content, retry }
}

function toFailed(
  { error, usage = noUsage }: ScriptedAnswer,
  content: readonly ContentBlock[],
  hasCut: boolean,
): MessageEnd {
  const given = typeof error === 'object' ? error : { message: String(error) }
  const failure: ModelFailure = { type: 'api_error', retriable: false, ...given }
  return {
    type: 'message_end',
    outcome: 'failed',
    stopReason: null,
    usage,
    content,
    ...(hasCut && { cut: cutOf(content) }),
    failure,
    retry: retryOfCut('failed', { isBegun: content.length > 0, failure }),
  }
}

/** The end of an answer that was aborted in a block: its text so far stays, other open blocks are dropped. */
function toAborted(isText: boolean, text: string, whole: readonly ContentBlock[]): MessageEnd {
  const end = { type: 'message_end', outcome: 'aborted', stopReason: null, usage: noUsage } as const
  if (!isText || text === '') return { ...end, content: whole, retry: 'none' }
  const content = [...whole, { type: 'text', text }]
  return { ...end, content, cut: cutOf(content), retry: 'none' }
}

/** Describes the last block, a text, as interrupted. */
function cutOf(content: readonly ContentBlock[]): readonly CutBlock[] {
  const block = content.length - 1
  const text = String(content[block]?.['text'])
  return [{ block, kind: 'text', content: { type: 'text', text: '' }, text }]
}

import {
  type BlockKind,
  type ContentBlock,
  isProviderEnd,
  type MessageOutcome,
  type Model,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  retryOfCut,
  type Usage,
} from '../../../src/events/index.ts'

/** The answer of a scripted model to one request. */
export interface ScriptedReply {
  /** Blocks that are complete at once. */
  readonly content?: readonly ContentBlock[]
  /** A block that is shown without an end. */
  readonly openBlock?: ContentBlock
  readonly stopReason?: string | null
  readonly outcome?: MessageOutcome
  readonly failure?: ModelFailure
  readonly usage?: Usage
  /** Emits nothing more until it is aborted; `deaf` not even then. */
  readonly hangs?: 'until_aborted' | 'deaf'
  readonly throws?: Error
}

/** A model that repeats its prompt and records its requests. */
export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[]
}

const kinds: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'thinking',
  tool_use: 'tool_call',
  server_tool_use: 'server_tool_call',
  web_search_tool_result: 'server_tool_result',
}

/** The position of a conversation in a script, regardless of the earlier process: for processes that take over. */
export function byAnswers({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length
}

/** Creates a model that answers by a script, one reply after the other; after its end it answers "done". */
export function createScriptedModel(
  replies: readonly ScriptedReply[],
  place: (request: ModelRequest, asked: number) => number = (_request, asked) => asked,
): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted-1',
    requests,
    stream(request, { signal = new AbortController().signal } = {}) {
      const reply = replies[place(request, requests.length)] ?? {
        content: [{ type: 'text', text: 'done' }],
      }
      requests.push(structuredClone(request))
      return say(reply, signal)
    },
  }
}

async function* say(reply: ScriptedReply, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { content = [], openBlock, hangs, throws } = reply
  yield { type: 'message_start', messageId: 'msg_1', model: 'scripted-1' }
  for (const [block, whole] of content.entries()) {
    yield* open(block, whole)
    yield end(block, whole)
  }
  if (openBlock !== undefined) yield* open(content.length, openBlock)
  if (throws !== undefined) throw throws
  if (hangs !== undefined) await silence(hangs === 'deaf' ? undefined : signal)
  yield toEnd(reply, signal)
}

function* open(block: number, scripted: ContentBlock): Generator<ModelEvent> {
  const { content, inputText } = split(scripted)
  const streamed = ['text', 'thinking'].find((field) => field in content)
  const start = streamed === undefined ? content : { ...content, [streamed]: '' }
  yield { type: 'block_start', block, kind: kindOf(content), content: start }
  const text = streamed === undefined ? (inputText ?? '') : String(content[streamed])
  for (const piece of text.match(/[^]{1,3}/g) ?? []) {
    yield { type: 'block_delta', block, text: piece }
  }
}

function end(block: number, scripted: ContentBlock): ModelEvent {
  const { content, inputText } = split(scripted)
  const raw = inputText === undefined ? {} : { inputText }
  return { type: 'block_end', block, kind: kindOf(content), content, ...raw }
}

/** A script may define the model's own bytes as `inputText` beside `input`, if they differ. */
function split(scripted: ContentBlock): { content: ContentBlock; inputText: string | undefined } {
  const { inputText, ...content } = scripted
  const written = 'input' in content ? JSON.stringify(content['input']) : undefined
  return {
    content: { ...content, type: scripted.type },
    inputText: typeof inputText === 'string' ? inputText : written,
  }
}

function kindOf({ type }: ContentBlock): BlockKind {
  return kinds[type] ?? 'other'
}

function toEnd(reply: ScriptedReply, signal: AbortSignal): ModelEvent {
  const content = (reply.content ?? []).map((block) => split(block).content)
  const { failure, stopReason = reasonOf(content), usage } = reply
  const outcome = signal.aborted ? 'aborted' : (reply.outcome ?? 'finished')
  const isBegun = content.length > 0 || reply.openBlock !== undefined
  return {
    type: 'message_end',
    outcome,
    stopReason: isProviderEnd(outcome) ? stopReason : null,
    usage: usage ?? { input_tokens: 10, output_tokens: 5 },
    content,
    ...(failure !== undefined && { failure }),
    retry: isProviderEnd(outcome) ? 'none' : retryOfCut(outcome, { isBegun, failure }),
  }
}

function reasonOf(content: readonly ContentBlock[]): string {
  return content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
}

function silence(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

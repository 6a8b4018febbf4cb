import {
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
import {
  closeBlock,
  openBlock,
  toContent,
  toStopReason,
} from '../../../src/testing/model/speak-blocks.ts'

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
  const { content = [], openBlock: unended, hangs, throws } = reply
  yield { type: 'message_start', messageId: 'msg_1', model: 'scripted-1' }
  for (const [block, whole] of content.entries()) {
    yield* openBlock(block, whole)
    yield closeBlock(block, whole)
  }
  if (unended !== undefined) yield* openBlock(content.length, unended)
  if (throws !== undefined) throw throws
  if (hangs !== undefined) await silence(hangs === 'deaf' ? undefined : signal)
  yield toEnd(reply, signal)
}

function toEnd(reply: ScriptedReply, signal: AbortSignal): ModelEvent {
  const content = toContent(reply.content ?? [])
  const { failure, stopReason = toStopReason(content), usage } = reply
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

function silence(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

import {
  type AgentEvent,
  type AwaitedCall,
  type BlockCitation,
  type BlockDelta,
  type BlockEnd,
  type BlockStart,
  type ContentBlock,
  type MessageEnd,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  retryOfCut,
} from '../events/index.ts'
import { callBlocks } from './message-chain.ts'
import type { Run, RunStream } from './run.ts'
import { untilAborted } from './until-aborted.ts'

type BlockEvent = BlockStart | BlockDelta | BlockCitation | BlockEnd

/** One answer of the model, however it ended. */
export interface Reply {
  readonly end: MessageEnd
  /** The calls in it that are whole. */
  readonly calls: readonly AwaitedCall[]
  /** Whether the stream has shown anything of it. */
  readonly isShown: boolean
}

/** Asks the model once and passes on what it says as it says it. */
export async function* streamMessage(run: Run): RunStream<Reply> {
  const { agent } = run.state
  if (run.signal.aborted) return { end: cutEnd(run, []), calls: [], isShown: false }
  const whole: ContentBlock[] = []
  const inputTexts = new Map<unknown, string>()
  let isShown = false
  let end: MessageEnd | undefined
  try {
    for await (const event of readModel(run)) {
      // Reading goes on to the end of the source, so that it can keep its connection.
      if (event.type === 'message_end') end = event
      if (event.type === 'notice') run.settings.onNotice(event)
      if (!isBlockEvent(event) || end !== undefined) continue
      if (event.type === 'block_end') {
        whole.push(event.content)
        if (event.inputText !== undefined) inputTexts.set(event.content['id'], event.inputText)
      }
      isShown = true
      yield stamp(event, agent)
    }
  } catch (error) {
    run.settings.onError(error)
    end ??= brokenEnd(whole)
  }
  end ??= cutEnd(run, whole)
  return { end, calls: callBlocks(end.content).map((block) => toCall(block, inputTexts)), isShown }
}

function isBlockEvent(event: ModelEvent): event is BlockEvent {
  return event.type.startsWith('block_')
}

/** Says whose event it is; a spread costs a delta, of which there are many, more than all the rest of its way. */
function stamp(event: BlockEvent, agent: string): AgentEvent {
  if (event.type !== 'block_delta') return { ...event, agent }
  return { type: 'block_delta', agent, block: event.block, text: event.text }
}

function readModel({ settings, state, signal }: Run) {
  const request: ModelRequest = {
    messages: state.messages,
    maxTokens: settings.maxTokens,
    ...(settings.system !== undefined && { system: settings.system }),
    ...(settings.toolbox.schemas.length > 0 && { tools: settings.toolbox.schemas }),
  }
  return untilAborted(settings.model.stream(request, { signal }), signal, settings.abortGraceMs)
}

function toCall(block: ContentBlock, inputTexts: ReadonlyMap<unknown, string>): AwaitedCall {
  const { id, name, input } = block
  const inputText = inputTexts.get(id) ?? JSON.stringify(input ?? {})
  return { id: String(id), name: String(name), inputText }
}

/** A model that ends without its last word was stopped, or broke off. */
function cutEnd({ signal }: Run, content: readonly ContentBlock[]): MessageEnd {
  const outcome = signal.aborted ? 'aborted' : 'interrupted'
  const retry = retryOfCut(outcome, { isBegun: content.length > 0 })
  return { type: 'message_end', outcome, stopReason: null, usage: noUsage, content, retry }
}

function brokenEnd(content: readonly ContentBlock[]): MessageEnd {
  const message =
    'The connection to the model broke in a way that it should not; see the server’s log.'
  const failure = { type: 'model_error', message, retriable: false }
  return {
    type: 'message_end',
    outcome: 'failed',
    stopReason: null,
    usage: noUsage,
    content,
    failure,
    retry: 'none',
  }
}

import type { AwaitedCall, ContentBlock, MessageEnd, ModelRequest } from '../events/index.ts'
import { callBlocks } from './message-chain.ts'
import type { Run, RunStream } from './run.ts'
import { untilAborted } from './until-aborted.ts'
import { NO_USAGE } from './usage.ts'

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
      if (event.type === 'message_end') {
        end = event
        break
      }
      if (event.type === 'notice') run.settings.onNotice(event)
      if (event.type === 'message_start' || event.type === 'notice') continue
      if (event.type === 'block_end') {
        whole.push(event.content)
        if (event.inputText !== undefined) inputTexts.set(event.content['id'], event.inputText)
      }
      isShown = true
      yield { ...event, agent }
    }
  } catch (error) {
    run.settings.onError(error)
    end = brokenEnd(whole)
  }
  end ??= cutEnd(run, whole)
  return { end, calls: callBlocks(end.content).map((block) => toCall(block, inputTexts)), isShown }
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
  return { type: 'message_end', outcome, stopReason: null, usage: NO_USAGE, content }
}

function brokenEnd(content: readonly ContentBlock[]): MessageEnd {
  const message =
    'The connection to the model broke in a way that it should not; see the server’s log.'
  const failure = { type: 'model_error', message, retriable: false }
  return {
    type: 'message_end',
    outcome: 'failed',
    stopReason: null,
    usage: NO_USAGE,
    content,
    failure,
  }
}

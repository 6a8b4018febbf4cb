import type { MessageEnd, Model, ModelRequest } from '../events/index.ts'
import { createSegmentParser } from '../segments/index.ts'
import type { FoundCall } from './call-blocks.ts'
import { createTextReader } from './text-reader.ts'
import { type TextRequestOptions, toTextRequest } from './to-text-request.ts'

/** How a model gets tools without calls of its own. */
export interface TextToolsOptions extends TextRequestOptions {
  /** Makes what the ids of calls begin with, where the message has no id of its own or one that was used before. */
  readonly createId?: () => string
}

/** Gives tools to any model: it is told of them in the prompt, and its calls are found in its text. */
export function withTextTools(
  model: Model,
  { createId = () => crypto.randomUUID(), ...options }: TextToolsOptions = {},
): Model {
  const { id: modelId } = model
  // Options that cannot work are refused here, not in the middle of an answer.
  createSegmentParser(toTextRequest({ messages: [], maxTokens: 1 }, { modelId, options }).segments)
  return {
    ...model,
    id: modelId,
    async *stream(asked, streaming) {
      const { request, segments, mayCall } = toTextRequest(asked, { modelId, options })
      const reader = createTextReader({
        segments,
        createId: createCallIds(asked, createId),
        endWithCalls: mayCall ? toCallEnd : (end) => end,
      })
      for await (const event of model.stream(request, streaming)) yield* reader.feed(event)
    },
  }
}

/** A message that was cut, or ended otherwise than in the ordinary way, asks for nothing. */
function toCallEnd(end: MessageEnd): MessageEnd {
  return end.outcome === 'finished' ? { ...end, stopReason: 'tool_use' } : end
}

/** The id of a call is that of its segment, after that of its message; no call of the conversation has it. */
function createCallIds({ messages }: ModelRequest, createId: () => string) {
  const used = new Set<unknown>(
    messages.flatMap(({ content }) => content.map((block) => block['id'])),
  )
  return ({ segmentId }: FoundCall, messageId: string): string => {
    const known = toCallId(messageId, segmentId)
    const id = messageId === '' || used.has(known) ? toCallId(createId(), segmentId) : known
    used.add(id)
    return id
  }
}

/** Ids that a provider with calls of its own would take too. */
function toCallId(messageId: string, segmentId: string): string {
  return `${messageId}_${segmentId}`.replace(/[^\w-]/g, '_')
}

import type { MessageEnd, Model, ModelRequest } from '../../events/index.ts'
import { createSegmentParser } from '../../segments/index.ts'
import type { FoundCall } from './call-blocks.ts'
import { createTextReader } from './text-reader.ts'
import { type TextRequestOptions, toTextRequest } from './to-text-request.ts'

/** Options of a model with tools in text. */
export interface TextToolsOptions extends TextRequestOptions {
  /** Creates the prefix of call ids, if the message has no id or one that was used before. */
  readonly createId?: () => string
}

/** Adds tools to any model: the prompt describes them, and calls are found in the model's text. */
export function withTextTools(
  model: Model,
  { createId = () => crypto.randomUUID(), ...options }: TextToolsOptions = {},
): Model {
  const { id: modelId } = model
  // Invalid options are rejected here, not in the middle of an answer.
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

/** A message that was cut, or did not end normally, has no calls to run. */
function toCallEnd(end: MessageEnd): MessageEnd {
  return end.outcome === 'finished' ? { ...end, stopReason: 'tool_use' } : end
}

/** A call id consists of the ids of its message and its segment; no other call of the conversation has it. */
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

/** Returns an id that a provider with native calls also accepts. */
function toCallId(messageId: string, segmentId: string): string {
  return `${messageId}_${segmentId}`.replace(/[^\w-]/g, '_')
}

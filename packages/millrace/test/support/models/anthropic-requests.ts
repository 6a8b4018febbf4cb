import type { ModelEvent, ModelRequest } from '../../../src/events/index.ts'
import { anthropic, type AnthropicOptions } from '../../../src/models/anthropic/anthropic.ts'
import { messageEnd, messageStart, textBlock } from './anthropic-events.ts'
import { checkModelEvents } from './check-model-events.ts'

/** A request to a model. */
export const request: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 100,
}

/** The events of its answer. */
export const message = [messageStart(), ...textBlock(0, 'grüße ', '🌊'), ...messageEnd()]

/** Reads a stream to its end, and fails unless it fulfils the contract of the model port. */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const out: ModelEvent[] = []
  for await (const event of events) out.push(event)
  checkModelEvents(out)
  return out
}

/** Sends a request to a model through `fetch`. */
export function ask(
  fetch: typeof globalThis.fetch,
  options: AnthropicOptions = {},
  signal?: AbortSignal,
): AsyncIterable<ModelEvent> {
  const model = anthropic('model-1', { apiKey: 'key', maxRetries: 0, fetch, ...options })
  return model.stream(request, signal === undefined ? {} : { signal })
}

/** A body that sends `text` and stays open; reports its cancellation. */
export function openEnded(
  text: string,
  onCancel: () => void = () => {},
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel: onCancel,
  })
}

/** The API's response to an unsupported request. */
export function errorResponse(
  status: number,
  error: object,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ type: 'error', error, request_id: 'req_1' }, { status, headers })
}

import { isJsonObject } from '../../json/index.ts'
import type { OpenBody } from '../stream/index.ts'

/** Return value of a client's `create`: the promise of the official SDK, or a wrapper. */
export type CreatedStream = PromiseLike<AsyncIterable<unknown>> & {
  asResponse?(): Promise<Response>
}

/** Older Bedrock clients return the body in Amazon's framing, which only they decode. */
const AMAZON_FRAMING = 'application/vnd.amazon.eventstream'

/** Returns the body of a streamed response. Encodes events as SSE frames again if the client provides only events. */
export async function bodyOf(created: CreatedStream): ReturnType<OpenBody> {
  const response = await created.asResponse?.()
  const isAmazon = response?.headers.get('content-type')?.startsWith(AMAZON_FRAMING) === true
  return response === undefined || isAmazon ? frameEvents(await created) : response.body
}

async function* frameEvents(events: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  try {
    for await (const event of events) yield toFrame(event)
  } catch (error) {
    const body = error instanceof Error && 'error' in error ? error.error : undefined
    // The SDK throws the content of an `error` event.
    if (!isJsonObject(body) || !isJsonObject(body['error'])) throw error
    yield toFrame({ ...body, type: 'error' })
  }
}

const encoder = new TextEncoder()

function toFrame(event: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
}

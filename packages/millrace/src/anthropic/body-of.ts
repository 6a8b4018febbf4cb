import { isJsonObject } from '../json/index.ts'
import type { OpenBody } from '../model-stream/index.ts'

/** What a client's `create` gives: the official SDK's promise, or what somebody has wrapped around it. */
export type CreatedStream = PromiseLike<AsyncIterable<unknown>> & {
  asResponse?(): Promise<Response>
}

/** Older clients for Bedrock leave the body in Amazon's own framing, which only they decode. */
const AMAZON_FRAMING = 'application/vnd.amazon.eventstream'

/** The body of a streamed response; where a client gives only events, they are framed again. */
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
    // The SDK throws what the API says in an `error` event.
    if (!isJsonObject(body) || !isJsonObject(body['error'])) throw error
    yield toFrame({ ...body, type: 'error' })
  }
}

const encoder = new TextEncoder()

function toFrame(event: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
}

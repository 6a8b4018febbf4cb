import { MillraceError } from '../../errors/index.ts'
import type { OpenBody } from '../stream/index.ts'
import { DONE_FRAME, encodeSse } from '../../sse/index.ts'

/** Returns the body of a response as an event stream. A completion that was not streamed becomes one event. */
export async function toChatBody(response: Response, maxFrameChars: number): ReturnType<OpenBody> {
  const type = response.headers.get('content-type') ?? ''
  if (/^text\/html\b/i.test(type)) {
    await response.body?.cancel()
    throw new MillraceError(
      'model_failed',
      'The server answered with a page of HTML; check that `baseURL` is the address of the API, which usually ends in /v1.',
    )
  }
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
    ? frameBody(response, maxFrameChars)
    : response.body
}

async function* frameBody({ body }: Response, maxChars: number): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += decoder.decode(next.value, { stream: true })
      if (text.length > maxChars) throw tooLarge(maxChars)
    }
  } finally {
    reader?.cancel().catch(() => {})
  }
  const frame = encodeSse({ data: text + decoder.decode() })
  yield new TextEncoder().encode(frame + DONE_FRAME)
}

function tooLarge(limit: number): MillraceError {
  const message = `The response is longer than maxFrameChars, ${limit}.`
  return new MillraceError('frame_too_large', message)
}

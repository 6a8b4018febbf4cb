import { MillraceError, type JsonValue } from 'millrace'

/** Reads the body of a request as JSON; throws `payload_too_large` or `bad_request`. */
export async function readBody(request: Request, maxBodyBytes: number) {
  const text = await readText(request, maxBodyBytes)
  try {
    return { text, json: JSON.parse(text) as JsonValue }
  } catch {
    throw new MillraceError('bad_request', 'The body of the request is not JSON.')
  }
}

async function readText(request: Request, maxBodyBytes: number): Promise<string> {
  const reader = request.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const next = await reader?.read()
    if (next?.value === undefined) return text + decoder.decode()
    size += next.value.length
    if (size > maxBodyBytes) {
      await reader?.cancel()
      throw new MillraceError('payload_too_large', `The body is larger than ${maxBodyBytes} bytes.`)
    }
    text += decoder.decode(next.value, { stream: true })
  }
}

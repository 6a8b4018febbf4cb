import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type {
  RecordedBody,
  RecordedHeaders,
  RecordedRequest,
  RecordedResponse,
  Recording,
} from '../recording.ts'
import { decodeContent } from './content.ts'
import { recordingVersion } from './encode-recording.ts'
import { type LinePlace, malformed } from './malformed.ts'

/** Decodes the first line of a recording. */
export function decodeHead(
  head: JsonObject,
  place: LinePlace,
): Pick<Recording, 'request' | 'response' | 'at'> {
  const { recording, request, response, at } = head
  if (recording !== recordingVersion) {
    const found = JSON.stringify(recording)
    const problem = `recording is ${found}, and only version ${recordingVersion} is supported; use a newer millrace, or record again.`
    throw malformed(place, problem)
  }
  return {
    ...(request != null && { request: decodeRequest(request, place) }),
    response: decodeResponse(response, place),
    ...(typeof at === 'string' && { at }),
  }
}

function decodeRequest(value: JsonValue, place: LinePlace): RecordedRequest {
  if (!isJsonObject(value)) throw malformed(place, 'request must be an object; remove or fix it.')
  const { method, path, headers, body, prompts } = value
  if (typeof method !== 'string' || typeof path !== 'string') {
    throw malformed(place, 'request.method and request.path must be texts, such as "POST" and "/".')
  }
  return {
    method,
    path,
    headers: decodeHeaders(headers, 'request', place),
    ...(body != null && { body: decodeBody(body, place) }),
    hasPrompts: prompts !== 'omitted',
  }
}

function decodeBody(value: JsonValue, place: LinePlace): RecordedBody {
  if (isJsonObject(value) && typeof value['omitted'] === 'number') {
    return { omittedBytes: value['omitted'] }
  }
  const bytes = decodeContent(value)
  if (bytes !== undefined) return { bytes }
  throw malformed(place, 'request.body must have text, base64 or omitted; remove or fix it.')
}

function decodeResponse(value: JsonValue | undefined, place: LinePlace): RecordedResponse {
  if (!isJsonObject(value))
    throw malformed(place, 'response is missing; give it a status at least.')
  const { status, headers, ms } = value
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw malformed(place, 'response.status must be a whole number from 200 to 599.')
  }
  return {
    status,
    headers: decodeHeaders(headers, 'response', place),
    waitMs: typeof ms === 'number' && ms > 0 ? ms : 0,
  }
}

function decodeHeaders(
  value: JsonValue | undefined,
  owner: string,
  place: LinePlace,
): RecordedHeaders {
  if (value == null) return {}
  if (!isJsonObject(value)) throw malformed(place, `${owner}.headers must be an object.`)
  const entries = Object.entries(value)
  const odd = entries.find(([, text]) => typeof text !== 'string')
  if (odd) throw malformed(place, `${owner}.headers[${JSON.stringify(odd[0])}] must be a text.`)
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), String(text)]))
}

import { type Envelope, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'

/** The `server_name` of our own server's tools in the format `raw`. */
const OWN_SERVER = 'millrace'

/** Converts calls and results of our own server back from those of a remote server. */
export function createOwnCalls(): (envelope: Envelope) => readonly Envelope[] {
  /** The names of our own calls by id: a result has none. */
  const names = new Map<string, string>()

  function toCall({ server_name: _server, ...call }: Envelope): readonly Envelope[] {
    names.set(call.id ?? '', String(call['name']))
    return [{ ...call, type: 'tool_call' }]
  }

  return (envelope) => {
    const { type, id = '', name } = envelope
    if (type === 'tool_call') names.set(id, String(name))
    if (type === 'server_tool_call' && envelope['server_name'] === OWN_SERVER)
      return toCall(envelope)
    const called = type === 'server_tool_result' ? names.get(id) : undefined
    return called === undefined ? [envelope] : toResult(envelope, called)
  }
}

function toResult(result: Envelope, name: string): readonly Envelope[] {
  const { agent, id = '', is_error: isError } = result
  const parts = partsOf(result.delta)
  const fields = { agent, id, name }
  const marks = isError === true ? { is_error: true } : {}
  const base = { type: 'tool_result', ...fields, ...marks }
  const text = parts.map(({ text: piece }) => (typeof piece === 'string' ? piece : '')).join('')
  const images = parts.flatMap(({ source }) => (isJsonObject(source) ? [toImage(source)] : []))
  if (images.length === 0) return [{ ...base, final: true, delta: text }]
  return [
    { ...base, final: false, delta: text },
    ...images.map((image) => ({
      type: 'tool_result_image',
      ...fields,
      final: false,
      delta: '',
      ...image,
    })),
    { ...base, final: true, delta: '' },
  ]
}

function partsOf(content: string): readonly JsonObject[] {
  const value = JSON.parse(content) as JsonValue
  return isJsonArray(value) ? value.filter(isJsonObject) : [{ text: value }]
}

function toImage({ type, url, data, media_type: mediaType = 'image/*' }: JsonObject) {
  const src = type === 'base64' ? `data:${String(mediaType)};base64,${String(data)}` : String(url)
  return { src, media_type: String(mediaType) }
}

import type { RecordedHeaders } from '../recordings/index.ts'

/** Headers of a single connection, which are not forwarded. */
const connectionHeaders = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Alternating names and values, as in `rawHeaders`. */
type RawHeaders = readonly string[]

function toPairs(raw: RawHeaders): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [
    raw[at * 2] ?? '',
    raw[at * 2 + 1] ?? '',
  ])
}

/** Returns the headers to forward, in their order and spelling. */
export function toForwarded(raw: RawHeaders, replaced: RecordedHeaders = {}): string[] {
  const kept = toPairs(raw).filter(([name]) => {
    const known = name.toLowerCase()
    return !connectionHeaders.has(known) && !Object.hasOwn(replaced, known)
  })
  return [...Object.entries(replaced), ...kept].flat()
}

/** Returns headers with lower-case names; values of the same name are joined by a comma. */
export function toRecordedHeaders(raw: RawHeaders): RecordedHeaders {
  const headers = new Map<string, string>()
  for (const [name, value] of toPairs(raw)) {
    const known = name.toLowerCase()
    const earlier = headers.get(known)
    headers.set(known, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(headers)
}

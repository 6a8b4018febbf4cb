import type { RecordedHeaders } from '../recordings/index.ts'

/** Belong to one connection, and are made anew for the next. */
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

/** Pairs of names and values, one after the other, as `rawHeaders` has them. */
type RawHeaders = readonly string[]

function toPairs(raw: RawHeaders): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [
    raw[at * 2] ?? '',
    raw[at * 2 + 1] ?? '',
  ])
}

/** The headers that go on to the other side, in their order and spelling. */
export function toForwarded(raw: RawHeaders, replaced: RecordedHeaders = {}): string[] {
  const kept = toPairs(raw).filter(([name]) => {
    const known = name.toLowerCase()
    return !connectionHeaders.has(known) && !Object.hasOwn(replaced, known)
  })
  return [...Object.entries(replaced), ...kept].flat()
}

/** The headers under lower-case names, several of one name joined by a comma. */
export function toRecordedHeaders(raw: RawHeaders): RecordedHeaders {
  const headers = new Map<string, string>()
  for (const [name, value] of toPairs(raw)) {
    const known = name.toLowerCase()
    const earlier = headers.get(known)
    headers.set(known, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(headers)
}

import type { Session } from 'millrace/client'
import { readField } from '../../json/index.ts'
import type { StoredTimes } from './frame-log.ts'

/** The number of runs in one request, which is the maximum of a server. */
const PAGE = 100

/** The oldest runs of a longer history have no times. */
const MAX_PAGES = 20

/** Requests the storage times of a session's latest runs; undefined if the server has none. */
export async function fetchStoredTimes(
  { id, options }: Pick<Session, 'id' | 'options'>,
  /** Number of runs. */
  runs: number,
  /** Number of the newest runs that are requested. */
  wanted = Infinity,
): Promise<StoredTimes | undefined> {
  const { url, headers, fetch: request = fetch } = options
  const base = `${url.replace(/\/$/, '')}/agent/${encodeURIComponent(id)}/times?limit=${Math.min(PAGE, Math.max(1, wanted))}`
  let times: StoredTimes = []
  try {
    for (let page = 0, hasMore = true; hasMore && page < MAX_PAGES; page++) {
      const own = typeof headers === 'function' ? await headers() : headers
      // The newest come first; a new run only makes two pages overlap.
      const before = page === 0 ? '' : `&before=${runs - page * PAGE + 1}`
      const response = await request(base + before, { ...(own && { headers: own }) })
      if (!response.ok) return undefined
      const body: unknown = await response.json()
      const part = decodeTimes(body) ?? []
      const [firstId = Infinity] = times[0] ?? []
      times = [...part.filter(([messageId]) => messageId < firstId), ...times]
      hasMore = readField(body, 'has_more') === true && Math.min(runs, wanted) > (page + 1) * PAGE
    }
  } catch {
    return undefined
  }
  return times.length > 0 ? times : undefined
}

/** Decodes `{ times: [[firstId, unixMs], …] }`; undefined for other values and for unordered ids. */
export function decodeTimes(value: unknown): StoredTimes | undefined {
  const times = (value as { readonly times?: unknown } | null)?.times
  if (!Array.isArray(times)) return undefined
  const pairs: [number, number][] = []
  for (const pair of times as readonly unknown[]) {
    if (!Array.isArray(pair)) return undefined
    const [firstId, unixMs] = pair as readonly unknown[]
    if (typeof firstId !== 'number' || typeof unixMs !== 'number') return undefined
    if (firstId <= (pairs.at(-1)?.[0] ?? -1)) return undefined
    // A clock can be set back; times must not decrease.
    pairs.push([firstId, Math.max(unixMs, pairs.at(-1)?.[1] ?? unixMs)])
  }
  return pairs.length > 0 ? pairs : undefined
}

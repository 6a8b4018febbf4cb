import type { Session } from 'millrace/client'
import type { StoredTimes } from './frame-log.ts'

/** Asks a server when the messages of a session were stored; undefined if it does not tell. */
export async function fetchStoredTimes({
  id,
  options,
}: Pick<Session, 'id' | 'options'>): Promise<StoredTimes | undefined> {
  const { url, headers, fetch: request = fetch } = options
  try {
    const own = typeof headers === 'function' ? await headers() : headers
    const address = `${url.replace(/\/$/, '')}/agent/${encodeURIComponent(id)}/times`
    const response = await request(address, { ...(own && { headers: own }) })
    return response.ok ? decodeTimes(await response.json()) : undefined
  } catch {
    return undefined
  }
}

/** Reads `{ times: [[firstId, unixMs], …] }`; undefined if it is something else, or out of order. */
export function decodeTimes(value: unknown): StoredTimes | undefined {
  const times = (value as { readonly times?: unknown } | null)?.times
  if (!Array.isArray(times)) return undefined
  const pairs: [number, number][] = []
  for (const pair of times as readonly unknown[]) {
    if (!Array.isArray(pair)) return undefined
    const [firstId, unixMs] = pair as readonly unknown[]
    if (typeof firstId !== 'number' || typeof unixMs !== 'number') return undefined
    if (firstId <= (pairs.at(-1)?.[0] ?? -1)) return undefined
    // Clocks may be set back; what came later is not shown before.
    pairs.push([firstId, Math.max(unixMs, pairs.at(-1)?.[1] ?? unixMs)])
  }
  return pairs.length > 0 ? pairs : undefined
}

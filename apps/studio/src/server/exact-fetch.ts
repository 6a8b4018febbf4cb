import type { FetchFunction } from 'millrace/client'
import { readNumber } from '../json/index.ts'

interface ExactFetchOptions {
  readonly fetch?: FetchFunction
  /** Longer histories are read merged, because this many frames take a second to read. Infinity skips the request for the length. */
  readonly maxMessages?: number
}

const streamPattern = /^(.*)\/stream\?cursor=(\d+)(?:&log=\w+)?$/

/**
 * Creates a `fetch` that requests single messages where a server would merge older ones, so that speeds and moments are
 * exact. [LOG-5]
 */
export function createExactFetch({
  fetch = (url, init) => globalThis.fetch(url, init),
  maxMessages = 100_000,
}: ExactFetchOptions = {}): FetchFunction {
  const isLong = async (session: string, init: RequestInit): Promise<boolean> => {
    const response = await fetch(session, init)
    const body: unknown = response.ok ? await response.json() : undefined
    return (readNumber(body, 'tail') ?? 0) > maxMessages
  }
  return async (url, init) => {
    const [, session = '', cursor] = streamPattern.exec(url) ?? []
    if (!session) return fetch(url, init)
    // Messages missed later are few.
    const isMaybeLong = cursor === '0' && maxMessages < Infinity
    const isMerged = isMaybeLong && (await isLong(session, init))
    return fetch(isMerged ? url : `${url}&compact=0`, init)
  }
}

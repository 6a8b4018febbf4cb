import type { FetchFunction } from 'millrace/client'
import { readNumber } from '../json/index.ts'

interface ExactFetchOptions {
  readonly fetch?: FetchFunction
  /**
   * A longer history is read merged: so many messages take a second to read, and few look at each. How long it is is
   * not asked if it may be of any length.
   */
  readonly maxMessages?: number
}

const streamPattern = /^(.*)\/stream\?cursor=(\d+)(?:&log=\w+)?$/

/**
 * Creates a `fetch` that asks for each message by itself, where a server would merge what had come before: speeds and
 * moments are exact then. [LOG-5]
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
    // What a page misses later is little.
    const isMaybeLong = cursor === '0' && maxMessages < Infinity
    const isMerged = isMaybeLong && (await isLong(session, init))
    return fetch(isMerged ? url : `${url}&compact=0`, init)
  }
}

import { accessTo } from './access.ts'
import { useEffect, useState } from 'react'

/** So many answers are remembered. */
const MAX_SIZES = 200

const sizes = new Map<string, Promise<number | undefined>>()

/** How large a file is, as the server says, which is asked once; undefined if it does not tell. */
function requestFileSize(href: string, server: string): Promise<number | undefined> {
  const known = sizes.get(href)
  if (known) return known
  const asked = ask(href, server).catch(() => undefined) // without its size it can be saved all the same
  sizes.set(href, asked)
  const [oldest] = sizes.keys()
  if (sizes.size > MAX_SIZES && oldest !== undefined) sizes.delete(oldest)
  // A server that was away, or that had no token, may tell later.
  void asked.then((size) => size === undefined && sizes.delete(href))
  return asked
}

async function ask(href: string, server: string): Promise<number | undefined> {
  const { ok, headers } = await fetch(href, {
    method: 'HEAD',
    headers: accessTo(server).headers(),
  })
  const length = Number(headers.get('content-length') ?? Number.NaN)
  return ok && Number.isFinite(length) ? length : undefined
}

/** How large a file is, as the server says; undefined until it has. */
export function useFileSize(href: string | undefined, server: string): number | undefined {
  const [size, setSize] = useState<number>()
  useEffect(() => {
    if (href === undefined) return undefined
    let isShown = true
    void requestFileSize(href, server).then((found) => isShown && setSize(found))
    return () => {
      isShown = false
    }
  }, [href, server])
  return size
}

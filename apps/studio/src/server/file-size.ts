import { accessTo } from './access.ts'
import { useEffect, useState } from 'react'

/** The number of cached sizes. */
const MAX_SIZES = 200

const sizes = new Map<string, Promise<number | undefined>>()

/** Requests the size of a file once; undefined if the server does not report it. */
function requestFileSize(href: string, server: string): Promise<number | undefined> {
  const known = sizes.get(href)
  if (known) return known
  const asked = ask(href, server).catch(() => undefined) // a file without a size can still be saved
  sizes.set(href, asked)
  const [oldest] = sizes.keys()
  if (sizes.size > MAX_SIZES && oldest !== undefined) sizes.delete(oldest)
  // An unreachable server, or one that needed a token, may report it later.
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

/** Returns the size of a file; undefined until the server has reported it. */
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

import { useEffect, useState } from 'react'
import { accessTo, useAccess } from './access.ts'

/** Source of an image. */
export interface ServerSource {
  /** Undefined while it is loading. */
  readonly source: string | undefined
  readonly isMissing: boolean
}

interface Fetched {
  readonly url: string
  readonly source: string | undefined
}

/**
 * Returns the source of an `<img>`. Images of a server with a token are fetched and shown from memory until they are
 * removed.
 */
export function useServerSource(url: string | undefined, server: string): ServerSource {
  const access = accessTo(server)
  const { hasToken } = useAccess(server)
  const [fetched, setFetched] = useState<Fetched>()
  // The token is only for this server.
  const isOwn = url?.startsWith(`${access.url}/`) === true
  const isFetched = hasToken && isOwn
  useEffect(() => {
    if (!isFetched || url === undefined) return undefined
    const controller = new AbortController()
    let source: string | undefined
    fetch(url, { headers: access.headers(), signal: controller.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(`${response.status}`)
        source = URL.createObjectURL(await response.blob())
        if (controller.signal.aborted) URL.revokeObjectURL(source)
        else setFetched({ url, source })
      })
      .catch(() => {
        if (!controller.signal.aborted) setFetched({ url, source: undefined })
      })
    return () => {
      controller.abort()
      if (source !== undefined) URL.revokeObjectURL(source)
    }
  }, [url, access, isFetched])
  if (!isFetched) return { source: url, isMissing: false }
  if (fetched?.url !== url) return { source: undefined, isMissing: false }
  return { source: fetched?.source, isMissing: fetched?.source === undefined }
}

import { badRequest } from '../../errors/index.ts'
import { parseUrl } from '../../outbound/index.ts'

/** Segments of a path, each after a slash; no slash at the end. */
const basePattern = /^(?:\/[\w.~-]+)*$/

/** Returns the path below the mount of the server for the path of a request. A path outside of the mount becomes one that no route has. */
export type StripBase = (path: string) => string

/** Creates the function that removes the mount of the server from paths. */
export function createStripBase(basePath: string): StripBase {
  if (!basePattern.test(basePath))
    throw badRequest(
      `basePath is ${JSON.stringify(basePath)}; it must be a path such as /api/agents, without a slash at its end.`,
    )
  if (basePath === '') return (path) => path
  return (path) => (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : `//${path}`)
}

/** Returns the address of the server for its clients, without a slash at its end: an absolute URL or a path. */
export function toPublicUrl(publicUrl: string | undefined, basePath: string): string {
  if (publicUrl === undefined) return basePath
  const isAbsolute =
    /^https?:\/\/[^?#]*[^/?#]$/.test(publicUrl) && parseUrl(publicUrl) !== undefined
  if (isAbsolute || basePattern.test(publicUrl)) return publicUrl
  throw badRequest(
    `publicUrl is ${JSON.stringify(publicUrl)}; it must be a URL such as https://api.example/agents, or a path, without a slash at its end.`,
  )
}

import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { contentTypeOf } from './content-types.ts'

/** Serves the files of one folder. */
export interface StaticFiles {
  /** Answers a request for one of the files; undefined if there is none of that name. */
  respond(request: Request): Promise<Response | undefined>
}

/** A name that changes with the content, as builds make them: `index-B7x_k2Qd.js`. Words, as in `my-settings.js`, are no hash. */
const hashedName = /-(?=[\w-]*[A-Z\d])[\w-]{8}\.\w+$/

const policy = [
  "default-src 'self'",
  "img-src 'self' data: blob: https:",
  // `?server=` points the page at another server: an encrypted one, or one on this machine.
  "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
  // Components set styles by attribute.
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** How the files of a folder are offered. */
export interface StaticFilesOptions {
  /** The path that stands before their own, such as `/docs`. */
  readonly under?: string
}

/** Builds a server for the files under `folder`; nothing outside of it can be reached, by links neither. */
export function createStaticFiles(
  folder: string,
  { under = '' }: StaticFilesOptions = {},
): StaticFiles {
  return {
    respond: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith(`${under}/`)) return undefined
      const path = toPath(pathname.slice(under.length))
      const file = path === undefined ? undefined : await findFile(folder, path)
      if (file === undefined) return undefined
      const body = request.method === 'HEAD' ? null : await readFile(file)
      return new Response(body, { headers: headersFor(file) })
    },
  }
}

function toPath(pathname: string): string | undefined {
  try {
    const path = decodeURIComponent(pathname)
    // Hidden names, parents, and separators and ends of string that only some platforms know.
    if (/[\\\0]|\/\./.test(path)) return undefined
    return path.endsWith('/') ? `${path}index.html` : path
  } catch {
    return undefined
  }
}

async function findFile(folder: string, path: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, path))
    if (!file.startsWith(root + sep) || extname(file) === '') return undefined
    // A folder may have a dot in its name as well.
    return (await stat(file)).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

function headersFor(file: string): Record<string, string> {
  const isHashed = hashedName.test(file)
  return {
    ...headers,
    'content-type': contentTypeOf(extname(file)),
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
}

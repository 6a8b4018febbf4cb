import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Media types of the files of a web page, by extension. */
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** A server for the files of one folder. */
export interface StaticFiles {
  /** Responds to a request for one of the files; undefined if there is no such file. */
  respond(request: Request): Promise<Response | undefined>
}

/** Matches a name with a content hash, such as `index-B7x_k2Qd.js`. Words, as in `my-settings.js`, are no hash. */
const hashedName = /-(?=[\w-]*[A-Z\d])[\w-]{8}\.\w+$/

const policy = [
  "default-src 'self'",
  "img-src 'self' data: blob: https:",
  // `?server=` selects another server: an encrypted one, or one on this machine.
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

interface StaticFilesOptions {
  /** The path prefix of the files, such as `/docs`. */
  readonly under?: string
}

/** Creates a server for the files under `folder`. Nothing outside of it can be reached, also not through links. */
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
    // Rejects hidden names, parents, and separators and string ends that only some platforms know.
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
    // The name of a folder may also contain a dot.
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

/** Returns the media type for a file extension; unknown ones are bytes. */
function contentTypeOf(extension: string): string {
  return contentTypes[extension.toLowerCase()] ?? 'application/octet-stream'
}

/** The modules of the library: the parent folder in the build. */
const libraryFolder = fileURLToPath(new URL('../', import.meta.url))

/**
 * Creates a server for the files of a page. It serves the library's modules under `/millrace/`, so that a page can
 * import `/millrace/client/index.js` without a build step.
 */
export function createPageFiles(folder: string): StaticFiles {
  const page = createStaticFiles(folder)
  const library = createStaticFiles(libraryFolder, { under: '/millrace' })
  return { respond: async (request) => (await page.respond(request)) ?? library.respond(request) }
}

import { type Dialect, dialects } from '../../protocols/index.ts'
import { MillraceError } from '../../errors/index.ts'

/** The log's own format, in which most read. */
const OWN_FORMAT = 'json'

/** `Accept: text/event-stream;format=xml`, for clients that cannot change the address. */
const acceptPattern = /text\/event-stream\s*;[^,]*?\bformat\s*=\s*"?([\w-]+)/i

/**
 * The format that a request asks for: by its address, else by its body, else by `Accept`; undefined where that is what
 * the log holds. [DIA-3]
 */
export function chooseDialect(request: Request, inBody?: string): Dialect | undefined {
  const { searchParams } = new URL(request.url)
  const name = searchParams.get('format') ?? inBody ?? acceptedFormat(request) ?? OWN_FORMAT
  if (name === OWN_FORMAT && !searchParams.has('extensions')) return undefined
  const create = Object.hasOwn(dialects, name) ? dialects[name] : undefined
  if (create !== undefined) return create(searchParams)
  throw new MillraceError(
    'unsupported',
    `The format ${JSON.stringify(name.slice(0, 64))} is not offered here; leave \`format\` out, or send one of ${Object.keys(dialects).join(', ')}.`,
  )
}

function acceptedFormat({ headers }: Request): string | undefined {
  return acceptPattern.exec(headers.get('accept') ?? '')?.[1]
}

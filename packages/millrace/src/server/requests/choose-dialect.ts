import { type Dialect, dialects } from '../../protocols/index.ts'
import { MillraceError } from '../../errors/index.ts'

/** The log's own format. */
const OWN_FORMAT = 'json'

/** `Accept: text/event-stream;format=xml`, for clients that cannot change the URL. */
const acceptPattern = /text\/event-stream\s*;[^,]*?\bformat\s*=\s*"?([\w-]+)/i

/** Finds the format of a request: in its query, its body, then `Accept`; undefined for the log's own. [DIA-3] */
export function chooseDialect(request: Request, inBody?: string): Dialect | undefined {
  const { searchParams } = new URL(request.url)
  const name = searchParams.get('format') ?? inBody ?? acceptedFormat(request) ?? OWN_FORMAT
  if (name === OWN_FORMAT && !searchParams.has('extensions')) return undefined
  const create = Object.hasOwn(dialects, name) ? dialects[name] : undefined
  if (create !== undefined) return create(searchParams)
  throw new MillraceError(
    'unsupported',
    `The format ${JSON.stringify(name.slice(0, 64))} is unknown; omit \`format\`, or send one of ${Object.keys(dialects).join(', ')}.`,
  )
}

function acceptedFormat({ headers }: Request): string | undefined {
  return acceptPattern.exec(headers.get('accept') ?? '')?.[1]
}

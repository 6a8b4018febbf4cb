import { badRequest, MillraceError } from '../../errors/index.ts'
import { json } from '../../protocols/registry/index.ts'
import type {
  LogFormat,
  Protocol,
  ProtocolCode,
  ProtocolRoute,
} from '../../protocols/port/index.ts'

/** The format of the log itself, which every server offers. */
const LOG_FORMAT = 'json'

/** `Accept: text/event-stream;format=xml`, for clients that cannot change the URL. */
const acceptPattern = /text\/event-stream\s*;[^,]*?\bformat\s*=\s*"?([\w-]+)/i

const namePattern = /^[a-z0-9][a-z0-9-]{0,63}$/
const pathPattern = /^(\/([\w.~-]+|\{\w+\}))+$/

/** A route of a protocol, with the loader of its code. */
export interface OfferedRoute extends ProtocolRoute {
  /** The name of the protocol, and of the route in its plans. */
  readonly protocol: string
  readonly name: string
  load(): Promise<ProtocolCode>
}

/** The protocols of a server. */
export interface Protocols {
  readonly routes: readonly OfferedRoute[]
  /**
   * Chooses the format of a request: by its URL, else by its body, else by `Accept`; undefined for the format of the log. Throws
   * `unsupported` for a format that is not offered. [DIA-3]
   */
  chooseFormat(request: Request, inBody?: string): Promise<LogFormat | undefined>
}

/** Creates the protocols of a server; each is loaded with the first request that needs it. */
export function createProtocols(given: readonly Protocol[]): Protocols {
  const all = given.some(({ name }) => name === LOG_FORMAT) ? given : [json(), ...given]
  const loaders = new Map<string, () => Promise<ProtocolCode>>()
  for (const protocol of all) {
    checkProtocol(protocol)
    if (loaders.has(protocol.name)) throw twice(protocol.name)
    loaders.set(protocol.name, toLoader(protocol))
  }
  return {
    routes: all.flatMap(({ name: protocol, routes = {} }) =>
      Object.entries(routes).map(([name, route]) => ({
        ...route,
        protocol,
        name,
        load: () => loaders.get(protocol)?.() ?? Promise.reject(notOffered(protocol, loaders)),
      })),
    ),
    chooseFormat: async (request, inBody) => {
      const { searchParams } = new URL(request.url)
      const name = searchParams.get('format') ?? inBody ?? acceptedFormat(request) ?? LOG_FORMAT
      const load = loaders.get(name)
      if (load === undefined) throw notOffered(name, loaders)
      const format = (await load()).format(searchParams)
      return format.isLog === true ? undefined : format
    },
  }
}

/** Loads the code of a protocol once; a load that failed is tried again with the next request. */
function toLoader(protocol: Protocol): () => Promise<ProtocolCode> {
  let loaded: Promise<ProtocolCode> | undefined
  return () => {
    loaded ??= protocol.load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

function acceptedFormat({ headers }: Request): string | undefined {
  return acceptPattern.exec(headers.get('accept') ?? '')?.[1]
}

/** Refuses a protocol whose requests would all fail. */
function checkProtocol({ name, routes = {}, load }: Protocol): void {
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw badRequest(
      `The name of a protocol is ${JSON.stringify(name)}; use 1 to 64 lower-case letters, digits and hyphens.`,
    )
  }
  if (typeof load !== 'function') {
    throw badRequest(
      `The protocol ${name} has no \`load\`; pass what its function returns, such as aiSdk() and not aiSdk.`,
    )
  }
  for (const { path } of Object.values(routes)) {
    if (pathPattern.test(path)) continue
    throw badRequest(
      `The protocol ${name} has the path ${JSON.stringify(path)}; write it like /chat/{id}/stream.`,
    )
  }
}

function twice(name: string): MillraceError {
  return badRequest(`The protocol ${name} is listed twice in \`protocols\`; list each name once.`)
}

function notOffered(name: string, offered: ReadonlyMap<string, unknown>): MillraceError {
  return new MillraceError(
    'unsupported',
    `The format ${JSON.stringify(name.slice(0, 64))} is not offered here; leave \`format\` out, or send one of ${[...offered.keys()].toSorted().join(', ')}.`,
  )
}

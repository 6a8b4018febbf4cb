import { MIN_SSE_CHUNK_BYTES } from '../events/index.ts'
import { badRequest, checkLimits, checkOptions, type OptionTypes } from '../errors/index.ts'
import { printError } from '../outbound/index.ts'
import { createServerContext } from './create-server-context.ts'
import { createRoutes, isOpen } from './routes/create-routes.ts'
import { createStripBase } from './requests/base-path.ts'
import { toErrorResponse } from './requests/error-response.ts'
import {
  checkSource,
  createTokenCheck,
  guardResponse,
  toPreflightResponse,
} from './requests/guard.ts'
import { checkKeep } from './retention/retention.ts'
import type { ServerContext } from './server-context.ts'
import { defaultLimits, type HandlerLimits, type HandlerOptions } from './handler-options.ts'

/** Active runs and open streams of a server. */
export interface Activity {
  readonly runs: number
  readonly readers: number
}

/** A server without a socket, for any platform that uses `fetch`. */
export interface Handler {
  fetch(request: Request): Promise<Response>
  /**
   * Finds runs that other servers of the store left behind and resumes them; resolves with their sessions. Without this call, the
   * handler does so from its first request on.
   */
  recover(): Promise<readonly string[]>
  /** Returns the number of active runs and open streams. */
  activity(): Activity
  /** Accepts no more runs, and hands off active ones, or ends them if the store is not durable. */
  close(): Promise<void>
}

const types: OptionTypes<HandlerOptions> = {
  agents: 'object',
  defaultAgent: 'string',
  store: 'object',
  protocols: 'list',
  authorize: 'function',
  basePath: 'string',
  publicUrl: 'string',
  token: 'string',
  view: 'function',
  context: 'function',
  owner: 'function',
  user: 'function',
  files: 'object',
  allowedHosts: 'list',
  allowedOrigins: 'list',
  heartbeatMs: 'number',
  title: 'function',
  limits: 'object',
  keep: 'object',
  outbound: 'object',
  approvalTtlMs: 'any',
  requireInputHash: 'boolean',
  onError: 'function',
  observers: 'list',
  onViolation: 'function',
  node: 'string',
  version: 'string',
  isGone: 'function',
  onRecovered: 'function',
  recovers: 'any',
  onEvent: 'function',
  webhooks: 'any',
  now: 'function',
  createId: 'function',
}

/** Creates the handler of all routes: the part of `createMillrace` that speaks HTTP. Does not close the store. */
export function createHandler<Context = unknown>(options: HandlerOptions<Context>): Handler {
  // Its functions are called with values that its `context` returns.
  return openServer('createHandler', options as HandlerOptions).handler
}

/** The handler of a server and its server context. */
interface OpenServer {
  readonly handler: Handler
  readonly context: ServerContext
}

/** Opens a server for a function with the options of a handler. */
export function openServer(name: string, options: HandlerOptions): OpenServer {
  checkOptions(name, options, types)
  const { allowedHosts = [], allowedOrigins = [], onError = printError } = options
  checkLimits(options.limits ?? {}, defaultLimits)
  const limits = { ...defaultLimits, ...options.limits }
  checkValues(name, options, limits)
  checkKeep(options.keep ?? {})
  const checkToken = createTokenCheck(options.token)
  const context = createServerContext({ ...options, onError }, limits, checkToken)
  const { runs, readers, retention } = context
  const stripBase = createStripBase(context.basePath)
  const app = createRoutes(context, stripBase)
  const guard = { allowedHosts, allowedOrigins }

  const respond = async (request: Request): Promise<Response> => {
    try {
      checkSource(request, guard)
      // Browsers send preflight requests without the token.
      if (request.method === 'OPTIONS') return toPreflightResponse()
      if (!isOpen(request, stripBase)) await checkToken(request)
    } catch (error) {
      return toErrorResponse(error, onError)
    }
    return app.fetch(request)
  }

  const handler: Handler = {
    fetch: async (request) => {
      runs.start()
      return guardResponse(request, await respond(request), guard)
    },
    recover: runs.recover,
    activity: () => ({ runs: runs.count(), readers: readers.count() }),
    close: async () => {
      retention.stop()
      await runs.close()
      readers.close()
    },
  }
  return { handler, context }
}

/** Rejects options with which every request or approval would fail. */
function checkValues(
  name: string,
  { agents, store, defaultAgent, approvalTtlMs }: HandlerOptions,
  { maxLineBytes }: Required<HandlerLimits>,
): void {
  if (store === undefined) {
    throw badRequest(
      `\`${name}\` needs a \`store\`, such as createMemoryStore() of millrace/server.`,
    )
  }
  if (typeof store.append !== 'function') {
    throw badRequest(
      `The \`store\` of \`${name}\` is not a store; if it is a promise, as from openStore(), await it.`,
    )
  }
  const broken = Object.entries(agents ?? {}).find(([, agent]) => typeof agent?.run !== 'function')
  if (broken !== undefined) {
    throw badRequest(
      `agents.${broken[0]} is not an agent; create it with createAgent() of millrace/agent.`,
    )
  }
  if (!Object.hasOwn(agents ?? {}, defaultAgent)) {
    throw badRequest(
      `defaultAgent is ${JSON.stringify(defaultAgent)}, which is not among the agents: ${Object.keys(agents ?? {}).join(', ') || 'none'}.`,
    )
  }
  if (approvalTtlMs !== undefined && !(Number.isFinite(approvalTtlMs) && approvalTtlMs > 0)) {
    throw badRequest(
      `approvalTtlMs is ${String(approvalTtlMs)}; it must be a finite number of milliseconds above 0, or left out.`,
    )
  }
  if (Number.isInteger(maxLineBytes) && maxLineBytes >= MIN_SSE_CHUNK_BYTES) return
  throw badRequest(
    `limits.maxLineBytes is ${maxLineBytes}; it must be a whole number of at least ${MIN_SSE_CHUNK_BYTES}.`,
  )
}

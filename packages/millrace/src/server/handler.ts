import { MIN_SSE_CHUNK_BYTES } from '../envelope/index.ts'
import { checkLimits, MillraceError } from '../errors/index.ts'
import { createTokenCheck } from './requests/check-token.ts'
import { createServerContext } from './create-server-context.ts'
import { createRoutes, isOpen } from './routes/create-routes.ts'
import { toErrorResponse } from './requests/error-response.ts'
import { checkSource, guardResponse, toPreflightResponse } from './requests/guard.ts'
import { checkKeep } from './retention/keep.ts'
import { defaultLimits, type HandlerLimits, type HandlerOptions } from './handler-options.ts'

/** What goes on in a server. */
export interface Activity {
  readonly runs: number
  readonly readers: number
}

/** A server without a socket: put it behind anything that speaks `fetch`. */
export interface Handler {
  fetch(request: Request): Promise<Response>
  /**
   * Looks at once for runs that another server of the store has left behind, and carries them on; resolves with their sessions. Without
   * this call the handler looks by itself from its first request on.
   */
  recover(): Promise<readonly string[]>
  /** What goes on now: runs under way, and open streams. */
  activity(): Activity
  /** Takes no more runs, and hands those under way over, or ends them where the store does not outlive the process. */
  close(): Promise<void>
}

/** Builds the handler of all routes; the store stays the caller's to close. */
export function createHandler(options: HandlerOptions): Handler {
  const { allowedHosts = [], allowedOrigins = [], onError = () => {} } = options
  checkLimits(options.limits ?? {}, defaultLimits)
  const limits = { ...defaultLimits, ...options.limits }
  checkOptions(options, limits)
  checkKeep(options.keep ?? {})
  const checkToken = createTokenCheck(options.token)
  const context = createServerContext(options, limits, checkToken)
  const { runs, readers, retention } = context
  const app = createRoutes(context)
  const guard = { allowedHosts, allowedOrigins }

  const respond = async (request: Request): Promise<Response> => {
    try {
      checkSource(request, guard)
      // Browsers ask without the token whether they may send it.
      if (request.method === 'OPTIONS') return toPreflightResponse()
      if (!isOpen(request)) await checkToken(request)
    } catch (error) {
      return toErrorResponse(error, onError)
    }
    return app.fetch(request)
  }

  return {
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
}

/** Refuses options with which every request, or every approval, would fail. */
function checkOptions(
  { agents, defaultAgent, approvalTtlMs, requireInputHash }: HandlerOptions,
  { maxLineBytes }: Required<HandlerLimits>,
): void {
  if (!Object.hasOwn(agents, defaultAgent)) {
    throw new MillraceError(
      'bad_request',
      `defaultAgent is ${JSON.stringify(defaultAgent)}, which is not among the agents: ${Object.keys(agents).join(', ') || 'none'}.`,
    )
  }
  if (approvalTtlMs !== undefined && !(Number.isFinite(approvalTtlMs) && approvalTtlMs > 0)) {
    throw new MillraceError(
      'bad_request',
      `approvalTtlMs is ${String(approvalTtlMs)}; it must be a finite number of milliseconds above 0, or left out.`,
    )
  }
  if (requireInputHash !== undefined && typeof requireInputHash !== 'boolean') {
    throw new MillraceError(
      'bad_request',
      `requireInputHash is ${JSON.stringify(requireInputHash)}; it must be true or false.`,
    )
  }
  if (Number.isInteger(maxLineBytes) && maxLineBytes >= MIN_SSE_CHUNK_BYTES) return
  throw new MillraceError(
    'bad_request',
    `limits.maxLineBytes is ${maxLineBytes}; it must be a whole number of at least ${MIN_SSE_CHUNK_BYTES}.`,
  )
}

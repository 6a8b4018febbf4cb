import { sleep } from '../../streams/sleep.ts'
import { errorTypeOf, toErrorResponse } from './api-error.ts'
import { rateLimitHeaders } from './api-headers.ts'
import { faultsOf, type Fault, type StatusFault } from '../faults/fault.ts'

/** Waits for the delays that faults put before a response; throws the abort reason if the request is aborted. */
export async function waitForHeaders(faults: readonly Fault[], signal: AbortSignal): Promise<void> {
  for (const { waitMs } of faultsOf(faults, 'slow_headers')) await sleep(waitMs, signal)
  signal.throwIfAborted()
}

/** Returns the error that a fault sends instead of an answer, if there is one. */
export function findStatusFault(
  faults: readonly Fault[],
  { requestId, now }: { readonly requestId: string; readonly now: number },
): Response | undefined {
  const fault = faultsOf(faults, 'status')[0]
  if (fault === undefined) return undefined
  const { status } = fault
  const type = errorTypeOf(status)
  const message = `The emulator was asked to answer with ${status}.`
  const headers = { ...(status === 429 && rateLimitHeaders(now, true)), ...retryHeaders(fault) }
  return toErrorResponse({ type, message, ...fault.error }, { requestId, status, headers })
}

function retryHeaders({ retryAfterS }: StatusFault): Record<string, string> {
  return retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
}

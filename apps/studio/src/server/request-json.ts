import { readField, readString } from '../json/index.ts'

/** Response of a server: a JSON value, or an error. */
export type JsonResponse =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | {
      readonly ok: false
      /** HTTP status; 0 without a readable response. */
      readonly status: number
      readonly message: string
      readonly body?: unknown
    }

/** The timeout of a short request. */
const TIMEOUT_MS = 15_000

/** Requests a JSON value; never rejects. */
export async function requestJson(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<JsonResponse> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(address, { headers, signal })
    const { ok, status } = response
    const body: unknown = await response.json().catch(() => undefined)
    if (ok) return { ok, status, body }
    const message = readString(readField(body, 'error'), 'message')
    return { ok, status, body, message: message ?? `The server responded with status ${status}.` }
  } catch {
    return { ok: false, status: 0, message: 'The server could not be reached.' }
  }
}

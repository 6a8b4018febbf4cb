import { readField, readString } from '../json/index.ts'

/** What a server answered: a value, or no, in its words. */
export type JsonResponse =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | {
      readonly ok: false
      /** Of HTTP; 0 if no answer came, or none that the page may read. */
      readonly status: number
      readonly message: string
      readonly body?: unknown
    }

/** How long a server may think about a short question. */
const TIMEOUT_MS = 15_000

/** Asks a server for a value; never rejects. */
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
    return { ok, status, body, message: message ?? `The server answered ${status}.` }
  } catch {
    return { ok: false, status: 0, message: 'The server was not reached.' }
  }
}

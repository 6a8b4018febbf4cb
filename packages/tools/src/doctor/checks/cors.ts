import type { Check } from '../examination.ts'
import { ok, problem } from '../finding.ts'
import { toServerError } from '../refusal.ts'
import type { Reply } from '../reply.ts'

const needed = ['authorization', 'content-type', 'last-event-id']

/** Checks whether pages of another site can use the server. */
export const cors: Check = {
  title: 'Other sites',
  run: async ({ origin, ask }) => {
    if (origin === undefined) return undefined
    const [preflight, plain] = await Promise.all([
      ask('agent/run', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': needed.join(', '),
        },
      }),
      ask('health', { headers: { origin } }),
    ])
    const why = `Browsers hide the responses from pages of ${origin}.`
    if (toServerError(preflight.text) !== undefined) {
      return problem(`The server does not allow pages of ${origin}`, why, 'allowOrigin')
    }
    const fault = faultOf(preflight, plain, origin)
    return fault === undefined
      ? ok(`Pages of ${origin} can send requests with a token, and read the responses`)
      : problem(fault, why, 'cors')
  },
}

function faultOf(preflight: Reply, plain: Reply, origin: string): string | undefined {
  const { status, headers } = preflight
  if (status < 200 || status > 299) return `The preflight (OPTIONS) returned ${status}`
  const allowed = (headers['access-control-allow-headers'] ?? '').toLowerCase()
  const missing = needed.filter((name) => !allowed.includes(name))
  return (
    originFault('preflight', preflight, origin) ??
    (missing.length > 0 ? `The preflight does not allow ${missing.join(', ')}` : undefined) ??
    originFault('response', plain, origin)
  )
}

function originFault(what: string, { headers }: Reply, origin: string): string | undefined {
  const value = headers['access-control-allow-origin']
  if (value === origin || value === '*') return undefined
  if (value === undefined) return `The ${what} has no access-control-allow-origin`
  return `The ${what} allows ${value}, not just ${origin}`
}

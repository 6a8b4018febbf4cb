import { isJsonObject, parseJsonObject } from 'millrace'
import { type Finding, problem } from './finding.ts'
import { describeReply, type Reply } from './reply.ts'
import type { Visit } from './visit.ts'

interface ServerError {
  readonly code: string
  readonly message: string
  /** If the token was rejected: whether it was missing or wrong. */
  readonly token: string
}

/** Decodes an error of a Millrace server; undefined for any other response. */
export function toServerError(text: string): ServerError | undefined {
  const error = parseJsonObject(text)?.['error']
  if (!isJsonObject(error)) return undefined
  const { code, message, token } = error
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return { code, message, token: String(token) }
}

type Refused = Pick<Reply, 'status' | 'headers' | 'text'>
type Explain = (error: ServerError, visit: Visit) => Finding

const busyWhy = 'Streams are refused under this load; wait for others to end, or raise the limit.'

const explanations: Readonly<Record<string, Explain>> = {
  unauthorized: ({ token }, visit) => {
    if (visit.token === undefined) {
      return problem(
        'The server requires a token',
        'Pass it with --token, or in MILLRACE_TOKEN, to continue.',
      )
    }
    return token === 'missing'
      ? problem(
          'authorization did not reach the server, which requires a token',
          'No client can use the server: the proxy removes the header.',
          'requestHeaders',
        )
      : problem(
          'The server rejected this token',
          'Ask the operator of the server for the right one.',
        )
  },
  forbidden: ({ message }, { base }) =>
    message.includes('allowedHosts')
      ? problem(
          `The server rejects the host name that the proxy passes on: ${message}`,
          `Requests for ${base.hostname} are rejected, because a page could point its own name at the server.`,
          'host',
        )
      : problem(
          `The server rejects requests: ${message}`,
          'Its `authorize` does not allow the action `health`, which the doctor needs.',
        ),
  not_found: () =>
    problem(
      'The server has no /doctor/stream: it is older than this doctor',
      'Its streams cannot be tested; update the server.',
    ),
  too_many_requests: ({ message }) => problem(`The server rejects requests: ${message}`, busyWhy),
  overloaded: ({ message }) => problem(`The server rejects requests: ${message}`, busyWhy),
}

/** Explains why a server, or a proxy before it, rejected a request. */
export function explainRefusal(reply: Refused, visit: Visit): Finding {
  const error = toServerError(reply.text)
  if (error === undefined) return explainStranger(reply)
  const explain = explanations[error.code]
  return explain === undefined
    ? problem(`The server returned ${reply.status}: ${error.message}`, 'See its log.')
    : explain(error, visit)
}

/** The meaning of a status of a proxy or of another server. */
const strangers: Readonly<Record<number, string>> = {
  401: 'A proxy requires its own password; exclude the paths of the API.',
  403: 'A firewall or a proxy rejects the request; allow the paths of the API.',
  404: 'The proxy does not forward these paths: send all paths of the API to the server.',
  429: 'A proxy limits the rate of requests; raise the limit for the paths of the API.',
  502: 'A proxy responds, but cannot reach the server behind it: check that it runs, and its address in the proxy.',
  503: 'A proxy responds, but has no healthy server behind it: check its health checks.',
  504: 'A proxy responds, but the server behind it did not in time.',
}

/** Explains a response that is not from a Millrace server. */
export function explainStranger(reply: Refused): Finding {
  const { status, headers } = reply
  const isPage = (headers['content-type'] ?? '').startsWith('text/html')
  const why = strangers[status]
  if (why !== undefined && status !== 404) {
    return problem(`A proxy responds instead of the server: ${describeReply(reply)}`, why)
  }
  const guess = isPage
    ? 'A web page was returned: check the address, and that the proxy sends the paths of the API to the server.'
    : 'Check the address; the default port of a server is 8787.'
  return problem(`This is not a Millrace server: ${describeReply(reply)}`, why ?? guess, 'paths')
}

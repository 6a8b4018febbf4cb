import { isJsonObject, parseJsonObject } from 'millrace'
import { type Finding, problem } from './finding.ts'
import { describeReply, type Reply } from './reply.ts'
import type { Visit } from './visit.ts'

/** An error in the words of a Millrace server. */
export interface ServerError {
  readonly code: string
  readonly message: string
  /** Of a request that was refused for its token: whether there was none, or another one. */
  readonly token: string
}

/** Reads an error that a Millrace server tells; undefined if something else has answered. */
export function toServerError(text: string): ServerError | undefined {
  const error = parseJsonObject(text)?.['error']
  if (!isJsonObject(error)) return undefined
  const { code, message, token } = error
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return { code, message, token: String(token) }
}

type Refused = Pick<Reply, 'status' | 'headers' | 'text'>
type Explain = (error: ServerError, visit: Visit) => Finding

const busyWhy =
  'Streams are refused at times like this; wait for others to end, or raise the limit.'

/** What the errors of a server mean to whoever deploys it. */
const explanations: Readonly<Record<string, Explain>> = {
  unauthorized: ({ token }, visit) => {
    if (visit.token === undefined) {
      return problem(
        'The server asks for a token',
        'Give it with --token, or in MILLRACE_TOKEN, to go on.',
      )
    }
    return token === 'missing'
      ? problem(
          'authorization did not reach the server, which asks for a token',
          'Nobody can use the server: the proxy takes the header away.',
          'requestHeaders',
        )
      : problem('The server does not take this token', 'Whoever runs it knows the right one.')
  },
  forbidden: ({ message }, { base }) =>
    message.includes('allowedHosts')
      ? problem(
          `The server refuses the name that the proxy passes on: ${message}`,
          `Requests for ${base.hostname} are refused, so that no page can lead a browser to the server by a name of its own.`,
          'host',
        )
      : problem(
          `The server refuses: ${message}`,
          'Its `authorize` does not allow `health`, which is what the doctor asks for.',
        ),
  not_found: () =>
    problem(
      'The server has no /doctor/stream: it is older than this doctor',
      'Nothing can be said of its streams; bring the server up to date.',
    ),
  too_many_requests: ({ message }) => problem(`The server refuses: ${message}`, busyWhy),
  overloaded: ({ message }) => problem(`The server refuses: ${message}`, busyWhy),
}

/** Says why a server, or what stands before it, did not do what was asked. */
export function explainRefusal(reply: Refused, visit: Visit): Finding {
  const error = toServerError(reply.text)
  if (error === undefined) return explainStranger(reply)
  const explain = explanations[error.code]
  return explain === undefined
    ? problem(`The server answered ${reply.status}: ${error.message}`, 'Look into its log.')
    : explain(error, visit)
}

/** By status: what a proxy or another server means by it. */
const strangers: Readonly<Record<number, string>> = {
  401: 'A proxy asks for a password of its own; let the paths of the API pass it.',
  403: 'A firewall or a proxy refuses; let the paths of the API pass it.',
  404: 'The proxy does not pass these paths on: send all paths of the API to the server.',
  429: 'A proxy limits how often may be asked; raise the limit for the paths of the API.',
  502: 'A proxy answers, but cannot reach the server behind it: check that it runs, and where the proxy looks for it.',
  503: 'A proxy answers, but has no server behind it that is well: check its health checks.',
  504: 'A proxy answers, but the server behind it did not in time.',
}

/** Says what has answered in the place of a Millrace server. */
export function explainStranger(reply: Refused): Finding {
  const { status, headers } = reply
  const isPage = (headers['content-type'] ?? '').startsWith('text/html')
  const why = strangers[status]
  if (why !== undefined && status !== 404) {
    return problem(`Something before the server answers: ${describeReply(reply)}`, why)
  }
  const guess = isPage
    ? 'A page answers in its place: check the address, and that the proxy sends the paths of the API to the server.'
    : 'Check the address; a server listens on port 8787 unless it is told otherwise.'
  return problem(`This is not a Millrace server: ${describeReply(reply)}`, why ?? guess, 'paths')
}

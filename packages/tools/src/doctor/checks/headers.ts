import type { Check } from '../examination.ts'
import { note, ok, problem } from '../finding.ts'
import { recognizeProxies } from '../proxies.ts'

const sentWhys: Readonly<Record<string, string>> = {
  accept: 'the server does not know which format a client accepts',
  authorization: 'no client can send a token',
  'last-event-id':
    'an EventSource that reconnects, and other clients that resume by it, get everything again from the start (Millrace’s own client resumes by the URL and is not affected)',
}

/** Checks that request headers arrive at the server. */
export const requestHeaders: Check = {
  title: 'Headers sent',
  run: async ({ token, greeting, resumed }) => {
    const { byHeader } = await resumed()
    const arrived = new Set([...greeting.headers, ...(byHeader.greeting?.headers ?? [])])
    const sent = ['accept', 'last-event-id', ...(token === undefined ? [] : ['authorization'])]
    const lost = sent.filter((name) => !arrived.has(name))
    if (lost.length === 0) return ok(`${sent.join(', ')} arrive`)
    const whys = lost.map((name) => sentWhys[name]).join('; ')
    return problem(
      `${lost.join(', ')} did not reach the server`,
      `Without ${lost.length === 1 ? 'it' : 'them'} ${whys}.`,
      'requestHeaders',
    )
  },
}

/** Checks that response headers arrive at the client. */
export const answerHeaders: Check = {
  title: 'Headers got',
  run: async ({ paced, greeting }) => {
    const { headers } = await paced()
    const type = headers['content-type'] ?? 'none'
    if (!type.startsWith('text/event-stream')) {
      return problem(
        `content-type is ${type}, not text/event-stream`,
        'An EventSource rejects such a response, and proxies do not recognise it as a stream.',
        'answerHeaders',
      )
    }
    const cache = headers['cache-control'] ?? 'none'
    const missing = ['no-store', 'no-transform'].filter((word) => !cache.includes(word))
    if (missing.length > 0) {
      return problem(
        `cache-control is ${cache}, without ${missing.join(' and ')}`,
        'Caches may serve a stream to other users, and proxies may compress it.',
        'answerHeaders',
      )
    }
    if (headers['x-accel-buffering'] !== undefined) {
      return ok('content-type, cache-control and x-accel-buffering arrive')
    }
    const isBehindNginx = recognizeProxies(headers, greeting.forwarded).includes('nginx')
    return isBehindNginx
      ? ok('content-type and cache-control arrive; nginx consumes x-accel-buffering')
      : note(
          'x-accel-buffering does not arrive',
          'A proxy in front of the one that removes it does not know that it must not buffer.',
          'answerHeaders',
        )
  },
}

import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { isLoopback } from '../../cli/is-loopback.ts'
import type { Check, Examination } from '../examination.ts'
import { type Finding, note, ok } from '../finding.ts'

const sixConnections =
  'Browsers open six connections to a server over HTTP/1.1, for all tabs together: with six open streams, the next request waits.'

/** Checks which version of HTTP browsers will use, and how that affects tabs. */
export const httpVersion: Check = {
  title: 'HTTP version',
  run: async (examination) => {
    const { base } = examination
    if (base.protocol === 'https:') return judgeTls(await handshake(examination))
    if (isLoopback(toHostName(base)))
      return ok('HTTP/1.1, on this machine; use HTTP/2 for browsers on other machines')
    const { token } = examination
    const open = token === undefined ? '' : ' Anyone on the network path can read the token.'
    return note('HTTP/1.1 without TLS', `${sixConnections}${open}`, 'http2')
  },
}

function judgeTls({ alpn, tls }: Handshake): Finding {
  return alpn === 'h2'
    ? ok(`HTTP/2 is offered (${tls}): a browser reads any number of streams on one connection`)
    : note(`HTTP/2 is not offered, only HTTP/1.1 (${tls})`, sixConnections, 'http2')
}

/** Removes the brackets of an IPv6 address. */
function toHostName({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

interface Handshake {
  readonly alpn: string
  readonly tls: string
}

function handshake({ base, signal, timeoutMs }: Examination): Promise<Handshake> {
  const host = toHostName(base)
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host,
      port: Number(base.port || 443),
      // An IP address cannot be a TLS server name.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['h2', 'http/1.1'],
      timeout: timeoutMs,
    })
    const stop = (): void => void socket.destroy(new DOMException('No response.', 'TimeoutError'))
    signal.addEventListener('abort', stop)
    socket.on('timeout', stop)
    socket.on('error', reject)
    socket.on('close', () => signal.removeEventListener('abort', stop))
    socket.on('secureConnect', () => {
      resolve({ alpn: socket.alpnProtocol || 'none', tls: socket.getProtocol() ?? 'TLS' })
      socket.destroy()
    })
  })
}

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createSecureServer } from 'node:http2'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtCommand } from '../support/processes/example-process.ts'
import { examine, type Report } from '../../../tools/src/doctor/examine.ts'
import type { VisitOptions } from '../../../tools/src/doctor/visit.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import {
  buffers,
  cutsIdle,
  dropsComments,
  gzips,
  type Oddity,
  type OddServer,
  startOddProxy,
  startOddServer,
  without,
} from '../support/network/odd-proxies.ts'

const origin = 'https://app.example'
let testServer: TestServer
let guarded: TestServer
const started: { close(): Promise<void> }[] = []

beforeAll(async () => {
  testServer = await openTestServer({ allowedOrigins: [origin] })
  guarded = await openTestServer({ token: 'mill-secret' })
  started.push(testServer, guarded)
})

afterAll(async () => {
  for (const one of started.reverse()) await one.close()
})

async function behind(oddity: Oddity, target = testServer.url): Promise<OddServer> {
  const proxy = await startOddProxy(target, oddity)
  started.push(proxy)
  return proxy
}

/** Enough for a busy machine: only frames that are held for very long count as held. */
function look(url: string, options: Partial<VisitOptions> = {}): Promise<Report> {
  const { signal } = new AbortController()
  return examine({ url: new URL(url), holdMs: 1_200, idleMs: 2_400, signal, ...options })
}

const lookBehind = async (oddity: Oddity, options: Partial<VisitOptions> = {}): Promise<Report> =>
  look((await behind(oddity)).url, options)

const found = ({ findings }: Report, check: string) => findings.find((one) => one.check === check)

const amiss = ({ findings }: Report) =>
  findings.flatMap(({ check, severity }) => (severity === 'ok' ? [] : [`${severity} ${check}`]))

describe.concurrent('reports no problem for a correct setup', () => {
  test('at the server itself', async () => {
    const report = await look(testServer.url, { origin })
    expect(report.findings.filter(({ severity }) => severity !== 'ok')).toEqual([])
    expect(report.findings.map(({ check }) => check)).toEqual([
      'reach',
      'access',
      'buffering',
      'compression',
      'idle',
      'heartbeats',
      'request_headers',
      'answer_headers',
      'resume',
      'http_version',
      'clock',
      'cors',
      'health',
    ])
  })

  test('behind a proxy that passes everything through', async () => {
    expect(amiss(await lookBehind({}))).toEqual([])
  })

  test('below a path, with a token', async () => {
    const path = (asked: string) => (asked.startsWith('/api/') ? asked.slice(4) : undefined)
    const { url } = await behind({ path }, guarded.url)
    const report = await look(`${url}/api`, { token: 'mill-secret' })
    expect(amiss(report)).toEqual([])
    expect(found(report, 'request_headers')?.seen).toContain('authorization')
  })
})

describe.concurrent('detects a proxy', () => {
  test('that buffers everything until the end', async () => {
    const report = await lookBehind(buffers(Infinity))
    expect(found(report, 'buffering')).toMatchObject({
      severity: 'problem',
      fix: 'buffering',
      seen: expect.stringMatching(
        /12 frames were sent 250 ms apart; all arrived together, .*ended$/,
      ),
    })
    expect(found(report, 'heartbeats')).toMatchObject({ severity: 'problem', fix: 'buffering' })
  })

  test('that buffers 4 KB at a time', async () => {
    const report = await lookBehind(buffers(4_096))
    expect(found(report, 'buffering')).toMatchObject({
      severity: 'problem',
      seen: expect.stringMatching(/all arrived together, .*about \d+ KB were buffered/),
    })
  })

  test('that compresses without flushing', async () => {
    const report = await lookBehind(gzips)
    expect(found(report, 'compression')).toMatchObject({
      severity: 'problem',
      fix: 'compression',
      seen: expect.stringContaining('gzip'),
    })
    expect(found(report, 'buffering')?.severity).toBe('ok')
  })

  test('that closes silent connections', async () => {
    const report = await lookBehind(cutsIdle(700))
    expect(found(report, 'idle')).toMatchObject({
      severity: 'problem',
      fix: 'idle',
      seen: expect.stringMatching(/cut after .* heartbeats are sent every 15 s/),
    })
  })

  test('that removes comments', async () => {
    const report = await lookBehind(dropsComments)
    expect(found(report, 'heartbeats')).toMatchObject({
      severity: 'problem',
      seen: 'None of 2 arrived',
    })
  })

  test('that drops Last-Event-ID', async () => {
    const report = await lookBehind({ requestHeaders: without('last-event-id') })
    expect(amiss(report)).toEqual(['problem request_headers', 'problem resume'])
    expect(found(report, 'request_headers')?.seen).toMatch(/^last-event-id did not/)
    expect(found(report, 'resume')?.seen).toMatch(/frame 1 by Last-Event-ID, with frame 3 by/)
  })

  test('that drops x-accel-buffering', async () => {
    const report = await lookBehind({ answerHeaders: without('x-accel-buffering') })
    expect(amiss(report)).toEqual(['note answer_headers'])
  })

  test('that is nginx, which removes x-accel-buffering', async () => {
    const answerHeaders: Oddity['answerHeaders'] = (headers) => ({
      ...without('x-accel-buffering')(headers),
      server: 'nginx/1.24.0',
    })
    const report = await lookBehind({ answerHeaders })
    expect(amiss(report)).toEqual([])
    expect(report.proxies).toEqual(['nginx'])
  })

  test('that allows caches to store streams', async () => {
    const answerHeaders: Oddity['answerHeaders'] = (headers) => ({
      ...headers,
      'cache-control': 'public, max-age=60',
    })
    const report = await lookBehind({ answerHeaders })
    expect(amiss(report)).toEqual(['problem answer_headers'])
    expect(found(report, 'answer_headers')?.seen).toMatch(/without no-store and no-transform/)
  })

  test('that sends streams as plain text', async () => {
    const answerHeaders: Oddity['answerHeaders'] = (headers) => ({
      ...headers,
      'content-type': 'text/plain',
    })
    const report = await lookBehind({ answerHeaders })
    expect(found(report, 'answer_headers')?.seen).toMatch(/^content-type is text\/plain/)
  })
})

describe.concurrent('explains why no stream arrives', () => {
  test('a token that a proxy removes', async () => {
    const { url } = await behind({ requestHeaders: without('authorization') }, guarded.url)
    const report = await look(url, { token: 'mill-secret' })
    expect(found(report, 'access')).toMatchObject({ severity: 'problem', fix: 'requestHeaders' })
  })

  test('a token that is wrong or missing', async () => {
    const wrong = await look(guarded.url, { token: 'other' })
    expect(found(wrong, 'access')?.seen).toBe('The server rejected this token')
    const none = await look(guarded.url)
    expect(found(none, 'access')?.why).toContain('--token')
  })

  test('a host name that the server does not allow', async () => {
    const requestHeaders: Oddity['requestHeaders'] = (headers) => ({
      ...headers,
      host: 'mill.example',
    })
    const report = await lookBehind({ requestHeaders })
    expect(report.findings).toMatchObject([{ check: 'reach', severity: 'problem', fix: 'host' }])
  })

  test('another page in place of the server', async () => {
    const page = await startOddServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html', server: 'nginx' })
      answer.end('<!doctype html><title>Welcome to the mill</title>')
    })
    started.push(page)
    const report = await look(page.url)
    expect(report.findings).toMatchObject([
      {
        severity: 'problem',
        seen: expect.stringMatching(/text\/html, titled “Welcome to the mill”, from nginx/),
      },
    ])
  })

  test('a proxy without a backend', async () => {
    const proxy = await startOddServer((_, answer) => void answer.writeHead(502).end('Bad Gateway'))
    started.push(proxy)
    const { findings } = await look(proxy.url)
    expect(findings).toMatchObject([
      { severity: 'problem', why: expect.stringContaining('cannot reach the server behind it') },
    ])
  })

  test('an address with missing or additional path segments', async () => {
    const path = (asked: string) => (asked.startsWith('/api/') ? asked.slice(4) : undefined)
    const { url } = await behind({ path })
    for (const wrong of [url, `${url}/api/v1`]) {
      const { findings } = await look(wrong)
      expect(findings).toMatchObject([
        { severity: 'problem', seen: expect.stringContaining(`but one at ${url}/api/`) },
      ])
    }
  })

  test('a path prefix that a proxy should have removed', async () => {
    const { findings } = await look(
      `${(await behind({ path: (same) => (same.startsWith('/mill/') ? same : undefined) })).url}/mill`,
    )
    expect(findings).toMatchObject([
      {
        severity: 'problem',
        fix: 'paths',
        seen: expect.stringContaining('no route GET /mill/openapi.json'),
      },
    ])
  })

  test('a description that is not passed on, unlike the rest', async () => {
    const report = await lookBehind({
      path: (same) => (same === '/openapi.json' ? undefined : same),
    })
    expect(amiss(report)).toEqual(['note reach'])
  })

  test('a redirect, which is followed on the same host only', async () => {
    const turnstile = await startOddServer(({ url = '' }, answer) => {
      const target = url.startsWith('/old/')
        ? `${testServer.url}${url.slice(4)}`
        : 'https://login.example/'
      answer.writeHead(302, { location: target }).end()
    })
    started.push(turnstile)
    const led = await look(`${turnstile.url}/old`)
    expect(amiss(led)).toEqual(['note reach'])
    expect(led.url).toBe(`${testServer.url}/`)
    const away = await look(turnstile.url)
    expect(found(away, 'reach')?.seen).toContain('redirects to https://login.example')
  })

  test('a server that is older than the doctor', async () => {
    const path = (asked: string) => asked.replace('/doctor/stream', '/doctor/absent')
    const report = await lookBehind({ path })
    expect(found(report, 'access')?.seen).toContain('older than this doctor')
  })

  test('an origin that the server does not allow', async () => {
    const report = await look(testServer.url, { origin: 'https://other.example' })
    expect(amiss(report)).toEqual(['problem cors'])
    expect(found(report, 'cors')?.fix).toBe('allowOrigin')
    const answerHeaders: Oddity['answerHeaders'] = (headers) => ({
      ...headers,
      'access-control-allow-origin': `${origin}, ${origin}`,
    })
    const twice = await lookBehind({ answerHeaders }, { origin })
    expect(found(twice, 'cors')).toMatchObject({ severity: 'problem', fix: 'cors' })
  })
})

test('an aborted examination leaves no stream open', async () => {
  const controller = new AbortController()
  const examined = look(testServer.url, { idleMs: 500_000, signal: controller.signal })
  const readers = async () =>
    ((await (await fetch(`${testServer.url}/health`)).json()) as { readers: number }).readers
  await expect.poll(readers, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
  controller.abort()
  await expect(examined).rejects.toThrow()
  await expect.poll(readers, { timeout: 20_000 }).toBe(0)
})

const certificate = await makeCertificate()

test.skipIf(certificate === undefined)('over TLS reports whether HTTP/2 is offered', async () => {
  const { folder, cert, key } = certificate ?? { folder: '', cert: '', key: '' }
  const file = join(folder, 'cert.pem')
  const proxied = await startOddProxy(testServer.url)
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (asked, answer) => {
    void pipeThrough(
      proxied.url,
      asked as unknown as IncomingMessage,
      answer as unknown as ServerResponse,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const trusted = await runDoctor(`https://localhost:${port}`, { NODE_EXTRA_CA_CERTS: file })
  expect(JSON.parse(trusted.output).findings).toContainEqual(
    expect.objectContaining({
      check: 'http_version',
      seen: expect.stringContaining('HTTP/2 is offered'),
    }),
  )
  const distrusted = await runDoctor(`https://localhost:${port}`)
  expect(distrusted.code).toBe(1)
  expect(distrusted.output).toContain('The certificate is self-signed')
  server.close()
  await proxied.close()
  await rm(folder, { recursive: true })
})

async function pipeThrough(target: string, asked: IncomingMessage, answer: ServerResponse) {
  const headers = Object.entries(asked.headers).filter(
    ([name]) => !/^(:|host|connection)/.test(name),
  )
  const response = await fetch(`${target}${asked.url}`, {
    headers: Object.fromEntries(headers) as Record<string, string>,
  })
  const given = [...response.headers].filter(
    ([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name),
  )
  answer.writeHead(response.status, Object.fromEntries(given))
  if (response.body !== null) for await (const bytes of response.body) answer.write(bytes)
  answer.end()
}

async function makeCertificate() {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
  ]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    await promisify(execFile)('openssl', [
      ...args,
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      ...names,
    ])
    return { folder, key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  } catch {
    await rm(folder, { recursive: true })
    return undefined
  }
}

/** Runs the command itself, in a separate process. */
async function runDoctor(url: string, env: NodeJS.ProcessEnv = {}) {
  const args = [builtCommand, 'doctor', url, '--json']
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stderr.resume()
  const [code] = await once(child, 'close')
  return { code: code as number, output }
}

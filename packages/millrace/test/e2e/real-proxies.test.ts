import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { stopRun } from '../../src/client/commands/control-run.ts'
import type { Session } from '../../src/client/index.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { finalText } from '../../src/client/transcript/index.ts'
import { createGatedModel } from '../support/agents/gated-model.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import {
  caddyMissing,
  nginxMissing,
  type ProxyOptions,
  type RealProxy,
  startCaddy,
  startNginx,
} from '../support/network/real-proxies.ts'
import { type HttpVersion, openTlsFetch, type TlsFetch } from '../support/network/tls-fetch.ts'

const guide = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')

/** The first example of this language in the guide, which users copy. */
function exampleOf(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)?.[1]
  if (found === undefined) throw new Error(`The guide has no example of ${language}.`)
  return found
}

const portOf = (url: string): number => Number(new URL(url).port)
const transcriptOf = (session: Session) => session.getSnapshot().transcript

const proxies = [
  { name: 'nginx', missing: nginxMissing, start: startNginx, config: exampleOf('nginx') },
  { name: 'Caddy', missing: caddyMissing, start: startCaddy, config: exampleOf('caddyfile') },
]
const versions: readonly HttpVersion[] = ['HTTP/1.1', 'HTTP/2']

for (const { name, missing, start, config } of proxies) {
  describe.skipIf(missing !== '')(`behind ${name}, configured as in the guide${missing}`, () => {
    describe.each(versions)('over TLS and %s', (version) => {
      behave(version, start, config)
    })
  })
}

function behave(
  version: HttpVersion,
  start: (options: ProxyOptions) => Promise<RealProxy>,
  config: string,
): void {
  const model = createGatedModel()
  const store = createMemoryStore()
  let server: TestServer
  let proxy: RealProxy
  let network: TlsFetch

  beforeAll(async () => {
    const agents = { gated: createAgent({ name: 'gated', model }) }
    server = await openTestServer({ agents, store, limits: { stallTimeoutMs: 1_500 } })
    proxy = await start({ config, port: portOf(server.url) })
    network = openTlsFetch(version, proxy.url)
  })

  afterAll(async () => {
    network.close()
    await proxy.close()
    await server.close()
  })

  const open = (id?: string, agent = 'demo'): Session =>
    createSession({
      url: proxy.url,
      fetch: network.fetch,
      retryDelayMs: 0,
      runFields: { agent_type: agent },
      ...(id !== undefined && { session: id }),
    })

  test('the first frames of a run arrive before it continues', async () => {
    model.hold()
    const session = open(undefined, 'gated')
    const running = session.run('count')
    await expect.poll(() => finalText(transcriptOf(session))).toContain('9 ')
    expect(finalText(transcriptOf(session))).not.toContain('10 ')
    model.release()
    await running
    expect(finalText(transcriptOf(session))).toContain('99 ')
  })

  test('a second reader resumes after a cut, and has the same frames', async () => {
    model.hold()
    const session = open(undefined, 'gated')
    const running = session.run('count')
    await expect.poll(() => finalText(transcriptOf(session))).toContain('9 ')
    const url = `${proxy.url}/agent/${session.id}/stream?compact=0`
    const cut = await network.fetch(url, {})
    const lastId = await readFirstId(cut)
    model.release()
    await running
    const resumed = await network.fetch(url, { headers: { 'last-event-id': lastId } })
    const whole = await (await network.fetch(url, {})).text()
    const rest = await resumed.text()
    expect(rest.length).toBeGreaterThan(0)
    expect(whole.endsWith(rest.replace(/^retry: .*\n\n/, ''))).toBe(true)
  })

  test('a question is answered', async () => {
    const session = open()
    await session.run('/demo frontend')
    expect(transcriptOf(session).status).toBe('awaiting_tools')
    await session.answer(transcriptOf(session).pending[0]?.callId ?? '', 'yes')
    expect(finalText(transcriptOf(session))).toContain('Sent.')
  })

  test('a file is uploaded, and one that is too large is rejected without side effects', async () => {
    const upload = async (bytes: number): Promise<number> => {
      const body = new FormData()
      body.append('files', new File(['a'.repeat(bytes)], 'a.txt'))
      const response = await network.fetch(`${proxy.url}/agent/upload`, { method: 'POST', body })
      await response.text()
      return response.status
    }
    expect(await upload(1_000_000)).toBe(200)
    expect(await upload(6_000_000)).toBe(413)
    expect(await upload(1_000_000)).toBe(200)
  })

  test('a run is stopped', async () => {
    model.hold()
    const session = open(undefined, 'gated')
    const running = session.run('count')
    await expect.poll(() => finalText(transcriptOf(session))).toContain('9 ')
    await stopRun(session)
    await running
    expect(finalText(transcriptOf(session))).not.toContain('10 ')
    model.release()
  })

  test('a reader that does not read is disconnected, and others are served meanwhile', async () => {
    const { id: session, run } = open()
    await run('/demo text')
    const { epoch, tail } = await store.open(session)
    const message = { type: 'text', agent: session, final: false, delta: 'x'.repeat(1_500) }
    const line = new TextEncoder().encode(JSON.stringify(message))
    const lines = Array.from({ length: 20_000 }, () => line)
    await store.append({ session, epoch, tail, lines })
    const slow = await network.fetch(`${proxy.url}/agent/${session}/stream?compact=0`, {})
    const isOpen = async (): Promise<number> => {
      const health = await network.fetch(`${proxy.url}/health`, {})
      return ((await health.json()) as { readers: number }).readers
    }
    await expect.poll(isOpen).toBe(1)
    await expect.poll(isOpen, { timeout: 30_000 }).toBe(0)
    await slow.body?.cancel()
  })
}

/** Reads a stream up to the first id, and disconnects. */
async function readFirstId({ body }: Response): Promise<string> {
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    const id = /^id: (.*)$/m.exec(text)?.[1]
    if (id !== undefined) return id
  }
  throw new Error('The stream has no id.')
}

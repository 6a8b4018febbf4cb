import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Anthropic } from '@anthropic-ai/sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import { createEmulator, type Scenario } from '../../emulator/index.ts'
import { serve } from 'millrace/node'
import { decodeRecording, type Recording } from '../../recordings/index.ts'
import { runCommand } from '../run-command.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs a command that serves, calls a function meanwhile, and stops it. */
async function during(args: readonly string[], act: (url: string) => Promise<void>) {
  const terminal = createRecordedTerminal()
  const untilStopped = (): Promise<void> =>
    act(/http:\/\/127[\d.:]+/.exec(terminal.printed.join('\n'))?.[0] ?? '')
  const code = await runCommand(args, { ...terminal, untilStopped })
  return { code, ...terminal }
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** An endpoint that a test controls. */
async function withEndpoint(answer: Answer, act: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const recordFrom = (to: string, act: (url: string) => Promise<void>, ...more: string[]) =>
  during(['record', '--to', to, '--out', folder, '--port', '0', ...more], act)

async function readFolder(): Promise<{ readonly file: string; readonly recording: Recording }[]> {
  const names = (await readdir(folder)).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.map((file) => ({ file, recording: decodeRecording(file) }))
}

const textOf = ({ chunks }: Recording): string =>
  Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()

const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
const question = {
  model: 'any',
  max_tokens: 5000,
  stream: true,
  messages: [{ role: 'user', content: '/demo thinking' }],
}
const askFor = (body: object = question): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: {
    'content-type': 'application/json',
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
  },
})

const emulated = async (act: (url: string) => Promise<void>): Promise<void> => {
  const emulator = await serve({ handler: createEmulator({ pace: 'instant' }), port: 0 })
  try {
    await act(emulator.url)
  } finally {
    await emulator.close()
  }
}

describe('between a client and the emulator', () => {
  test('the official client works unchanged, and reads the same from the replay', async () => {
    await emulated(async (to) => {
      const ask = async (baseURL: string) =>
        new Anthropic({ apiKey: key, baseURL, maxRetries: 0 }).messages
          .stream({ ...question, stream: undefined } as never)
          .finalMessage()
      let original: unknown
      const { code, printed } = await recordFrom(to, async (url) => {
        original = await ask(url)
      })
      expect(code).toBe(0)
      expect(printed.at(-1)).toMatch(
        /^POST \/v1\/messages {2}200, \d+ chunks?, .* → .*v1-messages\.jsonl$/,
      )
      const { printed: replayed } = await during(
        ['replay', folder, '--pace', 'instant', '--port', '0'],
        async (url) => expect(await ask(url)).toEqual(original),
      )
      expect(replayed.at(-1)).toMatch(/^POST \/v1\/messages {2}← .*\.jsonl \(by its prompt\)$/)
    })
  })

  test('the recording equals the response to the client, and the replay equals the recording', async () => {
    await emulated(async (to) => {
      let got = ''
      await recordFrom(to, async (url) => {
        got = await (await fetch(`${url}/v1/messages`, askFor())).text()
      })
      const [recorded] = await readFolder()
      expect(recorded?.recording.end).toBe('complete')
      expect(textOf(recorded?.recording as Recording)).toBe(got)
      await during(['replay', folder, '--pace', 'x1000', '--port', '0'], async (url) => {
        const response = await fetch(`${url}/v1/messages`, askFor())
        expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
        expect(await response.text()).toBe(got)
      })
    })
  })

  test('no key reaches the disk or the terminal, from any source', async () => {
    const parrot: Scenario = {
      name: 'parrot',
      summary: 'Repeats what it is told',
      matches: () => true,
      reply: ({ prompt }) => ({
        blocks: [{ type: 'text', text: `You said: ${prompt}, did you?` }],
      }),
    }
    const handler = createEmulator({ pace: 'instant', scenarios: [parrot] })
    const emulator = await serve({ handler, port: 0 })
    const messages = [{ role: 'user', content: `My key is ${key}` }]
    const { printed, complaints } = await recordFrom(emulator.url, async (url) => {
      const asked = askFor({ ...question, messages })
      const first = await fetch(`${url}/v1/messages?key=${key}`, asked)
      expect(await first.text()).toContain('a1B2')
      await (await fetch(`${url}/v1/${key}`, asked)).text()
    })
    await emulator.close()
    const files = await readFolder()
    expect(files.map(({ recording }) => recording.response.status)).toEqual([200, 404])
    const said = [...printed, ...complaints, ...files.map(({ file }) => file)].join('\n')
    // Not even a part of it, as in the deltas of an answer.
    for (const piece of ['api03', 'a1B2', '1B2a', 'B2a1']) expect(said).not.toContain(piece)
    expect((await readdir(folder)).join()).not.toContain('a1b2')
  })

  test('errors are passed on and recorded', async () => {
    await emulated(async (to) => {
      await recordFrom(to, async (url) => {
        const response = await fetch(`${url}/v1/messages`, askFor({ ...question, max_tokens: -1 }))
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({ type: 'error' })
      })
      const [recorded] = await readFolder()
      expect(recorded?.recording.response.status).toBe(400)
    })
  })

  test('chat completions are recorded in the same way', async () => {
    await emulated(async (to) => {
      const ask = async (url: string): Promise<string> =>
        (
          await fetch(`${url}/v1/chat/completions`, {
            ...askFor(),
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          })
        ).text()
      let got = ''
      await recordFrom(to, async (url) => {
        got = await ask(url)
      })
      expect(got).toContain('chat.completion.chunk')
      expect((await readFolder())[0]?.file).not.toContain(key)
      await during(['replay', folder, '--pace', 'instant', '--port', '0'], async (url) => {
        expect(await ask(url)).toBe(got)
      })
    })
  })

  test('without prompts, their lengths are recorded', async () => {
    await emulated(async (to) => {
      await recordFrom(
        to,
        async (url) => void (await (await fetch(`${url}/v1/messages`, askFor())).text()),
        '--no-prompts',
      )
      const [recorded] = await readFolder()
      expect(recorded?.file).toContain('[14 characters]')
      expect(recorded?.file).not.toContain('/demo')
    })
  })
})

const eventStream = { 'content-type': 'text/event-stream' }

describe('a recorded response', () => {
  test('is passed on as it arrives: each chunk before the next is made', async () => {
    const pieces = ['data: 1\n\n', 'data: ä', '\n', '\ndata: 3', '\n\n']
    let sendNext = (): void => {}
    const answer: Answer = (_, outgoing) => {
      outgoing.writeHead(200, eventStream)
      outgoing.flushHeaders()
      const left = [...pieces]
      sendNext = () => {
        const piece = left.shift()
        if (piece === undefined) outgoing.end()
        else outgoing.write(piece)
      }
    }
    await withEndpoint(answer, async (to) => {
      const got: string[] = []
      await recordFrom(to, async (url) => {
        const response = await fetch(url, askFor())
        const reader = response.body?.getReader()
        for (;;) {
          sendNext()
          const next = await reader?.read()
          if (next?.value === undefined) break
          got.push(new TextDecoder().decode(next.value))
        }
      })
      expect(got).toEqual(pieces)
      const [recorded] = await readFolder()
      expect(
        recorded?.recording.chunks.map(({ bytes }) => new TextDecoder().decode(bytes)),
      ).toEqual(pieces)
      const times = recorded?.recording.chunks.map(({ ms }) => ms) ?? []
      expect(times).toEqual([...times].sort((one, other) => one - other))
    })
  })

  test('keeps its headers, and is requested without compression', async () => {
    let seen: IncomingMessage['headers'] = {}
    let body = ''
    const answer: Answer = (incoming, outgoing) => {
      seen = incoming.headers
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
      incoming.on('end', () => {
        outgoing.writeHead(429, 'Slow down', { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] })
        outgoing.end('{}')
      })
    }
    await withEndpoint(answer, async (to) => {
      await recordFrom(`${to}/base/`, async (url) => {
        const response = await fetch(`${url}/v1/messages?beta=true`, askFor())
        expect([response.status, response.statusText]).toEqual([429, 'Slow down'])
        expect(response.headers.get('retry-after')).toBe('7')
        expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      })
      expect(seen).toMatchObject({
        host: new URL(to).host,
        'x-api-key': key,
        'accept-encoding': 'identity',
      })
      expect(body).toBe(JSON.stringify(question))
      expect((await readFolder())[0]?.recording).toMatchObject({
        request: { path: '/v1/messages?beta=true', headers: { 'x-api-key': 'redacted' } },
        response: { status: 429, headers: { 'retry-after': '7', 'set-cookie': 'redacted' } },
      })
    })
  })

  test('waits for a client that does not read, and is then complete', async () => {
    const piece = Buffer.alloc(65_536, 'x')
    const count = 1024
    let written = 0
    const answer: Answer = (_, outgoing) => {
      // Compressed, as its header states, so that this tests the proxy and not the file.
      outgoing.writeHead(200, { 'content-encoding': 'gzip' })
      const send = (): void => {
        while (written < count) {
          written++
          if (!outgoing.write(piece)) return void outgoing.once('drain', send)
        }
        outgoing.end()
      }
      send()
    }
    await withEndpoint(answer, async (to) => {
      const { complaints } = await recordFrom(to, async (url) => {
        const asked = request(url, { agent: false }).end()
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        let before = -1
        while (written !== before) {
          before = written
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
        expect(written).toBeLessThan(count)
        let bytes = 0
        for await (const chunk of response) bytes += (chunk as Buffer).length
        expect(bytes).toBe(piece.length * count)
      })
      expect(complaints.join()).toContain('not recorded (the body was encoded as gzip)')
      expect(await readdir(folder)).toEqual([])
    })
  })
})

describe('an end', () => {
  const endless: Answer = (_, outgoing) => {
    outgoing.writeHead(200, eventStream)
    outgoing.write('data: begun\n\n')
  }

  test('by the client reaches the endpoint, and is recorded as interrupted', async () => {
    let hasLeft = (): void => {}
    const left = new Promise<void>((resolve) => (hasLeft = resolve))
    const answer: Answer = (incoming, outgoing) => {
      outgoing.on('close', hasLeft)
      endless(incoming, outgoing)
    }
    await withEndpoint(answer, async (to) => {
      const { printed } = await recordFrom(to, async (url) => {
        const stop = new AbortController()
        const response = await fetch(url, { ...askFor(), signal: stop.signal })
        await response.body?.getReader().read()
        stop.abort()
        await left
      })
      expect(printed.at(-1)).toContain(', cut')
      const [recorded] = await readFolder()
      expect(recorded?.recording).toMatchObject({ end: 'cut' })
      expect(textOf(recorded?.recording as Recording)).toBe('data: begun\n\n')
    })
  })

  test('by Ctrl-C leaves a complete file', async () => {
    await withEndpoint(endless, async (to) => {
      let response: Response | undefined
      await recordFrom(to, async (url) => {
        response = await fetch(url, askFor())
        await response.body?.getReader().read()
      })
      const [recorded] = await readFolder()
      const last = recorded?.file.trimEnd().split('\n').at(-1) ?? ''
      expect(recorded?.file.endsWith('\n')).toBe(true)
      expect(JSON.parse(last)).toEqual({ end: 'cut', ms: expect.any(Number) })
    })
  })

  test.each(['text/event-stream', 'application/json'])(
    'by the endpoint breaks the connection of the client, in the recording and in the replay: %s',
    async (type) => {
      const answer: Answer = (_, outgoing) => {
        outgoing.writeHead(200, { 'content-type': type })
        outgoing.write('{"half":', () => outgoing.destroy())
      }
      await withEndpoint(answer, async (to) => {
        const ask = async (url: string): Promise<void> => {
          const response = await fetch(
            url,
            askFor({ ...question, stream: type !== 'application/json' }),
          )
          expect(response.status).toBe(200)
          await expect(response.text()).rejects.toThrow('terminated')
        }
        await recordFrom(to, ask)
        expect((await readFolder())[0]?.recording.end).toBe('error')
        await during(['replay', folder, '--pace', 'instant', '--port', '0'], ask)
      })
    },
  )

  test('before a response is reported to the client, and nothing is recorded', async () => {
    let closed = ''
    await withEndpoint(
      () => {},
      async (url) => void (closed = url),
    )
    const { complaints } = await recordFrom(closed, async (url) => {
      const response = await fetch(`${url}/v1/messages`, askFor())
      expect(response.status).toBe(502)
      expect(await response.text()).toContain('cannot be reached')
    })
    expect(complaints.join()).toMatch(/POST \/v1\/messages {2}no response, .* not recorded/)
    expect(await readdir(folder)).toEqual([])
  })
})

describe('files', () => {
  const short: Answer = (_, outgoing) => void outgoing.end('{}')

  test('have the given name, with a number from the second one on, with access for their owner only', async () => {
    await withEndpoint(short, async (to) => {
      await writeFile(join(folder, 'mill.jsonl'), 'mine')
      const args = ['record', '--to', to, '--port', '0', '--out', join(folder, 'mill.jsonl')]
      await during(args, async (url) => {
        await (await fetch(url)).text()
        await (await fetch(url)).text()
      })
      expect((await readdir(folder)).sort()).toEqual(['mill-2.jsonl', 'mill-3.jsonl', 'mill.jsonl'])
      expect(await readFile(join(folder, 'mill.jsonl'), 'utf8')).toBe('mine')
      expect((await stat(join(folder, 'mill-2.jsonl'))).mode & 0o777).toBe(0o600)
    })
  })

  test('that cannot be written do not stop an exchange', async () => {
    await withEndpoint(short, async (to) => {
      const out = join(folder, 'gone')
      const { complaints } = await during(
        ['record', '--to', to, '--port', '0', '--out', out],
        async (url) => {
          await rm(out, { recursive: true })
          expect(await (await fetch(url)).text()).toBe('{}')
        },
      )
      expect(complaints.join()).toMatch(/not recorded \(ENOENT/)
    })
  })

  test('cannot be written without a folder', async () => {
    await writeFile(join(folder, 'file'), '')
    const out = join(folder, 'file', 'below')
    const { code, complaints } = await during(
      ['record', '--to', 'http://a.test', '--out', out],
      async () => {},
    )
    expect(code).toBe(2)
    expect(complaints.join()).toContain('cannot be written to; choose another one with --out')
  })
})

test.each([
  [['record'], '--to must name the endpoint'],
  [['record', '--to', 'api.example'], '--to must be an http or https address'],
  [['record', '--to', 'ftp://api.example'], '--to must be an http or https address'],
  [['record', '--to', 'https://me:pass@api.example'], '--to must hold no password'],
  [['replay'], 'Name at least one recording'],
  [['replay', 'x', '--pace', 'fast'], '--pace must be own, instant or a factor'],
  [['replay', 'x', '--pace', 'x0'], '--pace must be own, instant or a factor'],
])('%j is explained', async (args, words) => {
  const { code, complaints } = await during(args, async () => {})
  expect(code).toBe(2)
  expect(complaints.join()).toContain(words)
})

test('replay names a file that is not a recording, and the reason', async () => {
  const file = join(folder, 'bad.jsonl')
  await writeFile(file, '{"recording":1,"response":{"status":200}}\n{}\n')
  expect(await during(['replay', file], async () => {})).toMatchObject({
    code: 1,
    complaints: [expect.stringContaining('bad.jsonl, line 2: this is neither a chunk')],
  })
  expect(await during(['replay', join(folder, 'none')], async () => {})).toMatchObject({
    code: 1,
    complaints: [expect.stringContaining('cannot be read; check the path')],
  })
})

test('replay rejects oversized files, also in a folder', async () => {
  const file = join(folder, 'large.sse')
  await writeFile(file, 'data: 1\n\n')
  await truncate(file, 256 * 1024 * 1024 + 1)
  for (const path of [file, folder]) {
    expect(await during(['replay', path, '--port', '0'], async () => {})).toMatchObject({
      code: 1,
      complaints: [expect.stringContaining('large.sse is larger than 268435456 bytes')],
    })
  }
})

test('replay accepts plain bodies, in the order of their names', async () => {
  await writeFile(join(folder, 'a.sse'), 'data: 1\n\n')
  await writeFile(join(folder, 'b.jsonl'), '{"type":"ping"}\n')
  await writeFile(join(folder, 'c.md'), 'no recording')
  const { printed, complaints } = await during(['replay', folder, '--port', '0'], async (url) => {
    expect(await (await fetch(`${url}/v1/messages`, askFor())).text()).toBe('data: 1\n\n')
    expect(await (await fetch(`${url}/v1/messages`, askFor())).text()).toContain('event: ping')
    expect((await fetch(`${url}/v1/models`)).status).toBe(404)
  })
  expect(printed.join()).toContain('2 recordings are served at')
  expect(printed.at(-1)).toContain('b.jsonl (by its order)')
  expect(complaints).toEqual(['GET /v1/models  no matching recording'])
})

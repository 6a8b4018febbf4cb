import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScriptedModel } from '../../../../millrace/test/support/agents/scripted-model.ts'
import { createAgent } from 'millrace/agent'
import { openStore } from 'millrace/node'
import { createHandler } from 'millrace/server'
import type { Terminal } from '../command.ts'
import { runCommand } from '../run-command.ts'

let folder = ''
let store = ''
const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)
const [first = '', second = '', third = ''] = ids

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-sessions-'))
  store = `sqlite:${join(folder, 'mill.db')}`
  await fill()
})

afterAll(() => rm(folder, { recursive: true }))

/** Three sessions, the last of which was interrupted. */
async function fill(): Promise<void> {
  const opened = await openStore(store)
  const model = createScriptedModel([
    { content: [{ type: 'text', text: 'flour' }] },
    { content: [{ type: 'text', text: 'bread' }] },
    { content: [{ type: 'text', text: 'never' }], hangs: 'until_aborted' },
  ])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store: opened,
  })
  const ask = (agent_uuid: string, user_prompt: string) =>
    handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ agent_uuid, user_prompt }),
      }),
    )
  await (await ask(first, 'What does a mill make?')).text()
  await (await ask(second, '\u001b[31mRed\u001b[0m bread\u202e?')).text()
  await (await ask(third, 'Wait')).body?.cancel()
  await handler.close()
  for (const file of files) await opened.putFile(second, file)
  await opened.close()
}

const image = { id: 'img_1', mediaType: 'image/png', bytes: Uint8Array.of(0, 255, 10, 13) }
const upload = { id: 'upload_1', mediaType: 'text/plain', filename: 'ü.txt', bytes: image.bytes }
const files = [image, upload]

async function run(...args: string[]) {
  const printed: string[] = []
  const complaints: string[] = []
  let written = ''
  const terminal: Terminal = {
    env: { MILLRACE_STORE: store },
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    input: (async function* () {})(),
    write: async (text) => void (written += text),
    untilStopped: async () => {},
  }
  const code = await runCommand(['sessions', ...args], terminal)
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n'), written }
}

describe('millrace sessions', () => {
  test('lists stored sessions, the latest first, without terminal escapes', async () => {
    const { code, printed } = await run()
    expect(code).toBe(0)
    const [head, ...rows] = printed.split('\n')
    expect(head).toMatch(/^SESSION +STATUS +RUNS +LAST WRITTEN \(UTC\) +TITLE$/)
    expect(rows.map((row) => row.slice(0, 36))).toEqual([third, second, first])
    expect(rows[2]).toMatch(
      /ended \(end_turn\) +1 +\d{4}-\d\d-\d\d \d\d:\d\d +What does a mill make\?$/,
    )
    expect(printed).not.toContain('\u001b')
    expect(printed).not.toContain('\u202e')
  })

  test('lists a page, and reports that there is more', async () => {
    const { printed } = await run('list', '--limit', '1', '--offset', '1')
    expect(printed).toContain(second)
    expect(printed).not.toContain(first)
    expect(printed).toContain('1 of 3')
  })

  test('lists for programs as the HTTP API does', async () => {
    const { printed } = await run('list', '--json')
    const { sessions, total } = JSON.parse(printed) as { sessions: object[]; total: number }
    expect(total).toBe(3)
    expect(sessions[2]).toMatchObject({
      agent_uuid: first,
      status: 'ended',
      stop_reason: 'end_turn',
      total_runs: 1,
    })
  })

  test('shows the status of one, with its runs', async () => {
    const { printed } = await run('show', first)
    expect(printed).toContain('Status     ended (end_turn)')
    expect(printed).toMatch(/1 +end_turn +1 +What does a mill make\? +flour/)
    expect((await run('show', third)).printed).toContain('Status     interrupted')
    const shown = JSON.parse((await run('show', first, '--json')).printed) as object
    expect(shown).toMatchObject({ agent_uuid: first, conversations: [{ final_response: 'flour' }] })
  })

  test('exports a file that verify and convert accept', async () => {
    const file = join(folder, 'first.sse')
    expect((await run('export', first, '--out', file)).code).toBe(0)
    const text = await readFile(file, 'utf8')
    expect(text.startsWith('id: 1\ndata: {"type":"meta_init"')).toBe(true)
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect((await run('export', first)).written).toBe(text)
    const lines: string[] = []
    let converted = ''
    const terminal: Terminal = {
      env: {},
      print: (line) => lines.push(line),
      complain: (line) => lines.push(line),
      input: (async function* () {})(),
      write: async (part) => void (converted += part),
      untilStopped: async () => {},
    }
    expect(await runCommand(['verify', file], terminal)).toBe(0)
    expect(lines.join()).toContain('no violations')
    const args = ['convert', '--from', 'json', '--to', 'text', file]
    expect(await runCommand(args, terminal)).toBe(0)
    expect(converted).toContain('flour')
  })

  test('exports an interrupted run without an end', async () => {
    const { written } = await run('export', third)
    expect(written).toContain('id: 1\n')
    expect(written).not.toContain('[DONE]')
  })

  test('exports as JSON the state, the history and every frame', async () => {
    const { written } = await run('export', first, '--format', 'json')
    const parsed = JSON.parse(written) as { messages: { id: number; message: object }[] }
    expect(parsed).toMatchObject({
      session: { agent_uuid: first },
      conversations: [{ user_message: 'What does a mill make?' }],
    })
    expect(parsed.messages.map(({ id }) => id)).toEqual(parsed.messages.map((_, at) => at + 1))
    expect(parsed.messages.at(-1)).toMatchObject({ message: { type: 'meta_end' } })
    expect(parsed).toMatchObject({ files: [] })
  })

  test('exports files as JSON, and reports their absence as events', async () => {
    const { written, complaints: none } = await run('export', second, '--format', 'json')
    const data = 'AP8KDQ=='
    expect(JSON.parse(written)).toMatchObject({
      files: [
        { id: 'img_1', mime_type: 'image/png', size_bytes: 4, data },
        { id: 'upload_1', filename: 'ü.txt', mime_type: 'text/plain', size_bytes: 4, data },
      ],
    })
    expect(none).toBe('')
    const { complaints } = await run('export', second)
    expect(complaints).toContain('The 2 files of this session are not included; use --format json.')
  })

  test('imports an archive of any session into another store, once', async () => {
    const other = `sqlite:${join(folder, 'other.db')}`
    const file = join(folder, 'second.jsonl')
    expect((await run('export', second, '--format', 'archive', '--out', file)).code).toBe(0)
    const imported = await run('import', file, '--store', other)
    expect(imported.printed).toMatch(/^[-\d]+ was imported with \d+ frames and 2 files\.$/)
    const { written } = await run('export', second, '--format', 'archive', '--store', other)
    expect(written).toBe(await readFile(file, 'utf8'))
    const again = await run('import', file, '--store', other)
    expect([again.code, again.complaints]).toEqual([1, expect.stringContaining('--as')])
    const as = '00000000-0000-4000-8000-0000000000aa'
    expect((await run('import', file, '--store', other, '--as', as)).printed).toContain(as)
    // An interrupted run is included, and is recovered by the next server.
    const cut = join(folder, 'third.jsonl')
    await run('export', third, '--format', 'archive', '--out', cut)
    await run('import', cut, '--store', other)
    expect((await run('show', third, '--store', other)).printed).toContain('interrupted')
    const events = join(folder, 'second.sse')
    await run('export', second, '--out', events)
    const wrong = await run('import', events, '--store', other)
    expect(wrong.complaints).toContain('--format archive')
  })

  test.each([
    [
      ['explode'],
      2,
      'There is no action explode; use one of list, show, export, import, delete, prune',
    ],
    [['show'], 2, 'Name the session to show'],
    [['list', 'x'], 2, 'list takes no session'],
    [['show', 'a', 'b'], 2, 'only one argument'],
    [['export', 'a', '--format', 'xml'], 2, '--format must be sse, json or archive'],
    [['import'], 2, 'Name the file to import'],
    [['import', 'a', '--as', 'b'], 2, '--as must be a UUID'],
    [['import', '/nowhere/a.jsonl'], 1, '/nowhere/a.jsonl cannot be read'],
    [['prune'], 2, 'Set the age'],
    [['prune', '--older-than', 'never'], 2, 'an age such as 30d'],
    [['list', '--store', 'memory:'], 2, 'only in their server'],
    [['list', '--store', 'sqlite:/nowhere/mill.db'], 1, 'There is no store /nowhere/mill.db'],
    [['show', '00000000-0000-4000-8000-00000000000f'], 1, 'There is no session'],
    [['delete', '00000000-0000-4000-8000-00000000000f'], 1, 'There is no session'],
    [['show', '../x'], 2, ''],
  ])('%j is explained', async (args, code, words) => {
    const result = await run(...args)
    expect(result.code).toBe(code)
    expect(result.complaints).toContain(words)
    expect(result.complaints).not.toContain('    at ')
  })

  test('explains a file that is not a store', async () => {
    const file = join(folder, 'novel.txt')
    await writeFile(file, 'It was a dark and stormy night. '.repeat(1000))
    const { code, complaints } = await run('list', '--store', `sqlite:${file}`)
    expect(code).toBe(1)
    expect(complaints).toContain('novel.txt')
    expect(await readFile(file, 'utf8')).toContain('stormy')
  })

  test('reads recent writes of a running server', async () => {
    const server = await openStore(store)
    const id = '00000000-0000-4000-8000-000000000007'
    const { epoch } = await server.open(id)
    const encode = (text: string) => new TextEncoder().encode(text)
    const head = await server.info(first).then((info) => info?.head)
    const lines = [encode('{"type":"text"}')]
    await server.append({ session: id, epoch, tail: 0, lines, ...(head && { head }) })
    await server.append({ session: id, epoch, tail: 1, lines })
    expect((await run('export', id)).written).toMatch(/^id: 1\n.*\n\nid: 2\n/)
    expect((await run('delete', id)).code).toBe(0)
    await expect(server.append({ session: id, epoch, tail: 2, lines })).rejects.toThrow(id)
    await server.close()
  })

  test('deletes one, unless a server runs it', async () => {
    const opened = await openStore(store)
    await opened.open(second, { owner: 'mill:1:2', ms: 60_000 })
    const refused = await run('delete', second)
    expect(refused.code).toBe(1)
    expect(refused.complaints).toContain('active on mill:1:2')
    expect((await run('delete', second, '--force')).printed).toContain('is deleted')
    await opened.close()
    expect((await run('delete', first, '--json')).printed).toBe('{"deleted":true}')
    expect((await run('list')).printed).not.toContain(first)
  })

  test('prunes sessions of the given age', async () => {
    expect((await run('prune', '--older-than', '1d')).printed).toBe('0 sessions are deleted.')
    const opened = await openStore(store)
    await opened.remove(third)
    await opened.open('00000000-0000-4000-8000-000000000009')
    await opened.close()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await run('prune', '--older-than', '0s')).printed).toBe('One session is deleted.')
    expect((await run('list')).printed).toBe('There are no sessions.')
  })
})

import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { answerCall, decideCalls, type Session } from '../../src/client/index.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { agentOf, childrenOf } from '../../src/client/transcript/agents.ts'
import { demoPrompts } from 'millrace-tools/emulator'
import { createVerifier } from '../../src/events/index.ts'
import {
  finalText,
  type PendingTool,
  rootAgent,
  type Transcript,
} from '../../src/client/transcript/index.ts'
import { createTestServers } from '../support/servers/test-servers.ts'
import type { ReadStream } from '../support/frames/read-stream.ts'

const testServers = createTestServers()
afterEach(testServers.close)

const look = (session: Session): Transcript => session.getSnapshot().transcript

/** The reaction of a user to a pending call. */
type Reaction = (session: Session, pending: PendingTool) => Promise<void>

const agree: Reaction = (session, { callId, approval = false }) =>
  approval
    ? decideCalls(session, [{ callId, decision: 'approve' }])
    : answerCall(session, callId, 'yes')

/** Sends the prompt and reacts to pending calls until there are none. */
async function play(url: string, prompt: string, react: Reaction = agree): Promise<Session> {
  const session = createSession({ url })
  const seen = new Set<string>()
  const answer = (): void => {
    for (const tool of look(session).pending) {
      if (seen.has(tool.callId)) continue
      seen.add(tool.callId)
      void react(session, tool)
    }
  }
  const isOver = () =>
    ['complete', 'error', 'aborted'].includes(look(session).status) &&
    session.getSnapshot().connection.state === 'idle'
  await new Promise<void>((resolve) => {
    session.subscribe(() => (isOver() ? resolve() : answer()))
    void session.run(prompt)
  })
  return session
}

function faultsOf({ frames, isDone }: ReadStream) {
  const verifier = createVerifier()
  return [...frames.flatMap(({ id, data }) => verifier.push(data, id)), ...verifier.end(isDone)]
}

test.each(demoPrompts.map(({ prompt }) => prompt.replace(/\d+$/, '800')))(
  '%s runs to its end with a person who approves everything, and conforms to the protocol',
  async (prompt) => {
    const server = await testServers.open()
    const session = await play(server.url, prompt)
    expect(look(session)).toMatchObject({
      status: prompt === '/demo error' ? 'error' : 'complete',
      pending: [],
    })
    expect(faultsOf(await server.watch(session.id))).toEqual([])
    expect(server.violations).toEqual([])
    // There is no current run any more, so the next message is a separate prompt.
    await session.run('And how high is the weir?')
    expect(finalText(look(session))).toMatch(/^Hello!/)
    expect(server.errors).toEqual([])
  },
)

test.each(['/demo subagents', '/demo web-search'])(
  '%s shows its cost: each step, each agent and the run',
  async (prompt) => {
    const server = await testServers.open()
    const transcript = look(await play(server.url, prompt))
    const costs = [...transcript.agents].flatMap(({ steps }) =>
      [...steps].map(({ info }) => costOf(info)),
    )
    expect(Math.min(...costs)).toBeGreaterThan(0)
    const sum = costs.reduce((total, cost) => total + cost, 0)
    expect(costOf(rootAgent(transcript)?.summary)).toBeCloseTo(sum, 5)
    for (const { summary } of transcript.agents) expect(costOf(summary)).toBeGreaterThan(0)
  },
)

function costOf(info: unknown): number {
  const { cost } = info as { readonly cost: { readonly total_cost: number } | null }
  return cost?.total_cost ?? Number.NaN
}

describe('/demo approval', () => {
  const path = 'reports/october.md'

  test('unchanged: the file is written, and read back', async () => {
    const server = await testServers.open()
    const session = await play(server.url, '/demo approval')
    const written = await readFile(join(server.workspace, path), 'utf8')
    expect(written).toContain('# Water levels in October')
    expect(finalText(look(session))).toContain('**Saved**, exactly as you saw it')
    const names = [...(rootAgent(look(session))?.blocks ?? [])].flatMap((block) =>
      block.type === 'tool_call' ? [`${block.name} ${block.status?.stage}`] : [],
    )
    expect(names).toEqual(['write_file succeeded', 'read_file succeeded'])
  })

  test('changed: the person’s arguments are run, and the model gets them', async () => {
    const server = await testServers.open()
    const input = { path: 'mine.md', content: 'My own words.\n' }
    const session = await play(server.url, '/demo approval', (own, { callId }) =>
      decideCalls(own, [{ callId, decision: 'approve', input }]),
    )
    expect(await readdir(server.workspace)).toEqual(['mine.md'])
    expect(await readFile(join(server.workspace, 'mine.md'), 'utf8')).toBe('My own words.\n')
    expect(finalText(look(session))).toContain('**Saved, with your changes.**')
    expect(server.errors).toEqual([]) // the written text is read back, not the proposed one
  })

  test('denied: nothing is written, and the model gets the reason', async () => {
    const server = await testServers.open()
    const reason = 'The mean is wrong.'
    const session = await play(server.url, '/demo approval', (own, { callId }) =>
      decideCalls(own, [{ callId, decision: 'refuse', reason }]),
    )
    expect(await readdir(server.workspace)).toEqual([])
    expect(finalText(look(session))).toContain('> The mean is wrong.')
    expect(rootAgent(look(session))?.blocks.at(1)).toMatchObject({
      status: { stage: 'refused' },
      result: { isError: true },
    })
  })

  test('decided in two tabs: one counts, the other gets a conflict', async () => {
    const server = await testServers.open()
    const first = createSession({ url: server.url })
    await first.run('/demo approval')
    const second = createSession({ url: server.url, session: first.id })
    await second.watch()
    const callId = look(second).pending[0]?.callId ?? ''
    const decided = await Promise.allSettled([
      decideCalls(first, [{ callId, decision: 'refuse' }]),
      decideCalls(second, [{ callId, decision: 'approve' }]),
    ])
    const lost = decided.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(lost).toMatchObject([{ details: { status: 409, code: 'conflict' } }])
    await Promise.all([first, second].map((session) => session.watch()))
    expect(finalText(look(first))).toBe(finalText(look(second)))
  })
})

describe('/demo patch', () => {
  const path = 'drafts/gate-rules.md'
  const read = (workspace: string) => readFile(join(workspace, path), 'utf8')

  test('approved: the file is changed according to the diff', async () => {
    const server = await testServers.open()
    const asked: PendingTool[] = []
    const session = await play(server.url, '/demo patch', (own, pending) => {
      asked.push(pending)
      return agree(own, pending)
    })
    expect(asked).toMatchObject([{ name: 'patch_file', approval: true }])
    expect(await read(server.workspace)).toContain(
      '- from 140 cm: open, and the keeper is called\n',
    )
    expect(await read(server.workspace)).not.toContain('120 cm')
    expect(finalText(look(session))).toContain(`**Changed.** Patched ${path}: 1 hunk, +3 -2 lines.`)
  })

  test('denied: the file is unchanged, and the model gets the reason', async () => {
    const server = await testServers.open()
    const session = await play(server.url, '/demo patch', (own, { callId }) =>
      decideCalls(own, [{ callId, decision: 'refuse', reason: 'Ask the keeper first.' }]),
    )
    expect(await read(server.workspace)).toContain('- from 120 cm: open\n')
    expect(finalText(look(session))).toContain('**Not changed.**')
    expect(finalText(look(session))).toContain('Ask the keeper first.')
  })
})

describe('/demo subagents', () => {
  test('agents work in separate lanes, nested where one spawned the other', async () => {
    const server = await testServers.open()
    const transcript = look(await play(server.url, '/demo subagents'))
    const names = [...transcript.agents].map(({ name }) => name)
    expect(new Set(names)).toEqual(new Set(['demo', 'historian', 'engineer', 'surveyor']))
    const root = rootAgent(transcript)
    const children = childrenOf(transcript, root?.id ?? '')
    expect(children.map(({ name }) => name)).toEqual(['historian', 'engineer'])
    const [historian, engineer] = children
    expect(childrenOf(transcript, engineer?.id ?? '').map(({ name }) => name)).toEqual(['surveyor'])
    const calls = [...(root?.blocks ?? [])].filter(({ type }) => type === 'tool_call')
    expect(children.map(({ parentToolUseId }) => parentToolUseId)).toEqual(
      calls.map(({ id }) => id),
    )
    const types = [...(agentOf(transcript, historian?.id ?? '')?.blocks ?? [])].map(
      ({ type }) => type,
    )
    expect(types).toEqual(['thinking', 'tool_call', 'text', 'tool_call', 'text'])
    expect(finalText(transcript)).toContain('1791')
  })

  test('the usage of all of them is in the sum of the run', async () => {
    const server = await testServers.open()
    const transcript = look(await play(server.url, '/demo subagents'))
    const used = [...transcript.agents].flatMap(({ steps }) =>
      [...steps].map(({ info }) => tokensOf(info['usage'])),
    )
    expect(used.length).toBeGreaterThan(8)
    const sum = used.reduce((total, tokens) => total + tokens, 0)
    expect(tokensOf(rootAgent(transcript)?.summary?.['usage'])).toBe(sum)
  })

  function tokensOf(usage: unknown): number {
    const { output_tokens: tokens } = usage as { readonly output_tokens: number }
    return tokens
  }
})

test('/demo files: the generated file is in the workspace, and is emitted with its location', async () => {
  const server = await testServers.open()
  const session = await play(server.url, '/demo files')
  const transcript = look(session)
  const place = `/agent/${session.id}/files/file_01EmulatedWaterLevels`
  expect(transcript.files).toMatchObject([{ filename: 'levels.csv', storage_location: place }])
  const response = await fetch(new URL(place, server.url))
  expect(response.headers.get('content-disposition')).toContain('levels.csv')
  expect(await response.text()).toContain('15,113')
  expect(await readFile(join(server.workspace, 'files/levels.csv'), 'utf8')).toContain('15,113')
  expect(finalText(transcript)).toContain('was read from this machine’s disk')
})

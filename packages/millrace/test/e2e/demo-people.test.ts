import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevServer, startDevServer } from '../../../tools/src/dev/dev-server.ts'
import { demoPrompts } from 'millrace-tools/emulator'
import { createVerifier, type Violation } from '../../src/events/index.ts'
import { createTestClient, type TestClient } from '../support/servers/test-client.ts'
import { readStream, toMessages } from '../support/frames/read-stream.ts'

/** The server of `npm start`, with its errors and warnings. */
const complaints: unknown[] = []
const violations: Violation[] = []
let server: DevServer
let client: TestClient

beforeAll(async () => {
  server = await startDevServer({
    port: 0,
    host: '127.0.0.1',
    modelId: 'emulator',
    pace: 'instant',
    toolDelayMs: 2,
    onError: (error) => complaints.push(error),
    onViolation: (violation) => violations.push(violation),
  })
  client = createTestClient(server.url)
})

afterAll(() => server.close())

/** A pending call, as in `GET /agent/{uuid}`. */
interface WaitingCall {
  readonly tool_use_id: string
}

interface SessionView {
  readonly status: string
  readonly stop_reason: string | null
  readonly pending: readonly WaitingCall[]
  readonly pending_approvals: readonly WaitingCall[]
}

/** The reaction of a user to pending calls: requests that are each answered with a stream or JSON. */
type Person = (session: string, view: SessionView) => Promise<Response>

const idsOf = (calls: readonly WaitingCall[]): string[] => calls.map((call) => call.tool_use_id)

function answer(session: string, calls: readonly WaitingCall[], fields: object): Promise<Response> {
  const tool_results = idsOf(calls).map((tool_use_id) => ({ tool_use_id, ...fields }))
  return client.post('/agent/tool_results', { agent_uuid: session, tool_results })
}

function decide(session: string, calls: readonly WaitingCall[], fields: object): Promise<Response> {
  const approvals = idsOf(calls).map((tool_use_id) => ({ tool_use_id, ...fields }))
  return client.post('/agent/tool_approvals', { agent_uuid: session, approvals })
}

/** Users who approve everything, deny everything, send another prompt instead, and stop the run. */
const people: readonly Person[] = [
  (session, { pending, pending_approvals: approvals }) =>
    approvals.length > 0
      ? decide(session, approvals, { decision: 'approve' })
      : answer(session, pending, { content: 'yes' }),
  (session, { pending, pending_approvals: approvals }) =>
    approvals.length > 0
      ? decide(session, approvals, { decision: 'refuse', reason: 'Not today.' })
      : answer(session, pending, { content: 'The page was closed.', is_error: true }),
  (session) => client.post('/agent/run', { agent_uuid: session, user_prompt: 'Hello' }),
  (session) => client.post(`/agent/${session}/stop`, {}),
]

const viewOf = async (session: string): Promise<SessionView> =>
  (await (await client.get(`/agent/${session}`)).json()) as SessionView

/** More rounds than any demo has questions. */
const MAX_ROUNDS = 12

/** Sends a prompt, and reacts until no call is pending; returns the number of reactions. */
async function play(prompt: string, session: string, react: Person): Promise<number> {
  await client.ask(prompt, { agent_uuid: session })
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const view = await viewOf(session)
    if (view.status !== 'paused') return round
    const response = await react(session, view)
    expect(response.status).toBe(200)
    await readStream(response)
    // A stop is answered at once; its stream is read to its end here.
    await client.watch(session)
  }
  throw new Error(`${prompt} still waits after ${MAX_ROUNDS} rounds.`)
}

async function checkEnd(session: string): Promise<void> {
  const stream = await client.watch(session)
  const verifier = createVerifier()
  const faults = stream.frames.flatMap(({ id, data }) => verifier.push(data, id))
  expect([...faults, ...verifier.end(stream.isDone)]).toEqual([])
  const messages = toMessages(stream).filter(({ agent }) => agent === session)
  expect(messages.at(-1)?.type).toBe('meta_end')
  const nothing = { pending: [], pending_approvals: [] }
  expect(await viewOf(session)).toMatchObject({ status: 'ended', ...nothing })
  expect(violations).toEqual([])
  expect(complaints).toEqual([])
}

test.each(demoPrompts.map(({ prompt }) => prompt.replace(/\d+$/, '500')))(
  '%s ends for any behavior of people, and its stream conforms to the protocol',
  async (prompt) => {
    for (const react of people) {
      const session = crypto.randomUUID()
      const rounds = await play(prompt, session, react)
      await checkEnd(session)
      // A demo without questions is the same for all.
      if (rounds === 0) return
    }
  },
)

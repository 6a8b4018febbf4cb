import type { Client, Frame } from './client.ts'

/** One run of a workload. */
export interface Visit {
  readonly client: Client
  readonly session: string
  readonly number: number
  /** A session whose log is longer than the buffers of a socket, for readers that never read. */
  readonly longSession: string
}

/** A way of using a server. */
export interface Workload {
  readonly name: string
  /** Its runs out of every 20. */
  readonly share: number
  /** Executes one run in a separate session; rejects unless it ends as expected. */
  readonly visit: (visit: Visit) => Promise<void>
}

/** The size of a conversation: a leak in each model call has at least this size. */
const PADDING = 'grain '.repeat(500)
const formats = ['json', 'xml', 'raw', 'segments', 'ai-sdk', 'ag-ui']

/** A separate prompt for each run, because the emulator treats an equal request as another attempt. */
const promptOf = (kind: string, { number, session }: Visit): string =>
  `${kind} ${number} ${session} ${PADDING}`

function run(visit: Visit, kind: string, more: object = {}): Promise<readonly Frame[]> {
  const body = { agent_uuid: visit.session, user_prompt: promptOf(kind, visit), ...more }
  return visit.client.stream({ path: '/agent/run', body })
}

/** The payload of the last frame of a type. */
function payloadOf(frames: readonly Frame[], type: string): unknown {
  const frame = frames.findLast((one) => one.type === type)
  if (frame !== undefined) return JSON.parse(frame.delta)
  throw new Error(`A run has emitted no ${type}: ${JSON.stringify(frames.slice(-2))}`)
}

/** The stop reasons of a complete answer, of the two providers. */
const COMPLETE = ['end_turn', 'stop']

/** Checks the end of the last run of some frames. */
function expectEnd(frames: readonly Frame[], expected = COMPLETE): void {
  const { stop_reason: reason } = payloadOf(frames, 'meta_end') as { stop_reason: string }
  if (expected.includes(reason)) return
  const last = JSON.stringify(frames.slice(-2))
  throw new Error(`A run ended with ${reason}, not ${expected.join(' or ')}: ${last}`)
}

const expectRun =
  (kind: string, expected = COMPLETE) =>
  async (visit: Visit): Promise<void> =>
    expectEnd(await run(visit, kind), expected)

/** The id of the pending call of a run. */
function awaitedCall(frames: readonly Frame[], type: string): string {
  const [call] = payloadOf(frames, type) as readonly { readonly tool_use_id: string }[]
  return call?.tool_use_id ?? ''
}

async function answer(visit: Visit): Promise<void> {
  const paused = await run(visit, 'question')
  const tool_results = [
    { tool_use_id: awaitedCall(paused, 'awaiting_frontend_tools'), content: 'rye' },
  ]
  const body = { agent_uuid: visit.session, tool_results }
  expectEnd(await visit.client.stream({ path: '/agent/tool_results', body }))
}

async function decide(visit: Visit): Promise<void> {
  const paused = await run(visit, 'approval')
  const decision = visit.number % 2 === 0 ? 'approve' : 'refuse'
  const approvals = [{ tool_use_id: awaitedCall(paused, 'awaiting_approval'), decision }]
  const body = { agent_uuid: visit.session, approvals }
  expectEnd(await visit.client.stream({ path: '/agent/tool_approvals', body }))
}

/** Stops a run in the middle of an answer. */
async function stop(visit: Visit): Promise<void> {
  const { client, session } = visit
  let stopping: Promise<unknown> | undefined
  const body = { agent_uuid: session, user_prompt: promptOf('endless', visit) }
  const frames = await client.stream({
    path: '/agent/run',
    body,
    onFrame: ({ type }) => {
      if (type === 'text') stopping ??= client.send('POST', `/agent/${session}/stop`, {})
    },
  })
  await stopping
  expectEnd(frames, ['aborted'])
}

/** Loses the connection in the middle of an answer, and reconnects for the rest. */
async function leave(visit: Visit): Promise<void> {
  const { client, session } = visit
  const body = { agent_uuid: session, user_prompt: promptOf('slow', visit) }
  const onFrame = ({ type }: Frame): boolean => type !== 'text'
  const seen = await client.stream({ path: '/agent/run', body, onFrame })
  const after = seen.at(-1)?.id ?? 0
  expectEnd(await client.stream({ path: `/agent/${session}/stream`, after }))
}

/** Reads a run in each of the formats in turn. */
async function translate(visit: Visit): Promise<void> {
  const format = formats[visit.number % formats.length]
  await run(visit, 'tools', { format })
  const frames = await visit.client.stream({ path: `/agent/${visit.session}/stream` })
  expectEnd(frames)
}

async function stall(visit: Visit): Promise<void> {
  await visit.client.stall(`/agent/${visit.longSession}/stream?compact=0`)
  expectEnd(await run(visit, 'text'))
}

async function silence(visit: Visit): Promise<void> {
  // A busy machine may make the second attempt look silent too.
  expectEnd(await run(visit, 'silent', { agent_type: 'hasty' }), [...COMPLETE, 'error'])
}

/** Every way of using a server, mixed in each run of a configuration. */
export const workloads: readonly Workload[] = [
  { name: 'text', share: 3, visit: expectRun('text') },
  { name: 'tools', share: 3, visit: expectRun('tools') },
  { name: 'answer', share: 2, visit: answer },
  { name: 'approval', share: 2, visit: decide },
  { name: 'sub-agents', share: 1, visit: expectRun('family') },
  { name: 'stop', share: 2, visit: stop },
  { name: 'model error', share: 2, visit: expectRun('failing') },
  { name: 'refused by model', share: 1, visit: expectRun('refused', ['error']) },
  { name: 'cut by model', share: 1, visit: expectRun('cut') },
  { name: 'silent model', share: 0.2, visit: silence },
  { name: 'cut by reader', share: 1, visit: leave },
  { name: 'formats', share: 1, visit: translate },
  { name: 'slow reader', share: 0.8, visit: stall },
]

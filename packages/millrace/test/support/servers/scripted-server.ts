import { expect } from 'vitest'
import type { Agent } from '../../../src/agent/port/agent.ts'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../../src/tools/define-tool.ts'
import { anything, confirm } from '../agents/agent-harness.ts'
import { createTestServers } from './test-servers.ts'
import { payloadOf, readStream, type ReadStream, toMessages } from '../frames/read-stream.ts'
import { createScriptedModel, type ScriptedReply } from '../agents/scripted-model.ts'

/** A tool that needs an approval. */
export const guarded = defineTool({
  name: 'guarded',
  description: '',
  input: anything,
  needsApproval: true,
  run: (input) => `ran with ${JSON.stringify(input)}`,
})

/** A tool of the browser that needs an approval. */
const sign = defineFrontendTool({
  name: 'sign',
  description: '',
  input: anything,
  needsApproval: true,
})

/** An agent that repeats its prompt. */
export function scripted(
  replies: readonly ScriptedReply[],
  more: Partial<Parameters<typeof createAgent>[0]> = {},
): Agent {
  const model = createScriptedModel(replies)
  return createAgent({ name: 'scripted', model, tools: [guarded, confirm, sign], ...more })
}

/** Test servers with one agent each, and the actions of users over HTTP. */
export function createScriptedTestServers() {
  const testServers = createTestServers()
  return { close: testServers.close, open: (agent: Agent) => openTestServer(testServers, agent) }
}

/** A test server of {@link createScriptedTestServers}. */
export type ScriptedTestServer = Awaited<ReturnType<typeof openTestServer>>

async function openTestServer(testServers: ReturnType<typeof createTestServers>, agent: Agent) {
  const server = await testServers.open({ agents: { scripted: agent }, defaultAgent: 'scripted' })
  const { post, get } = server
  const decide = (session: string, ...approvals: object[]) =>
    post('/agent/tool_approvals?compact=0', { agent_uuid: session, approvals })
  return {
    ...server,
    decide,
    decided: async (session: string, ...approvals: object[]) =>
      readStream(await decide(session, ...approvals)),
    stop: async (session: string, body: object = {}) =>
      (await post(`/agent/${session}/stop`, body)).json(),
    steer: (session: string, body: object) => post(`/agent/${session}/steer`, body),
    state: async (session: string) => (await get(`/agent/${session}`)).json(),
    /** Starts a run and returns the response as it begins. */
    start: async () => {
      const session = crypto.randomUUID()
      const response = await post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
      return { session, stream: readStream(response) }
    },
    /** Every line was valid, and the server reported no internal error. */
    settled: () => {
      expect(server.violations).toEqual([])
      expect(server.errors).toEqual([])
    },
  }
}

/** An approval of a call, with other arguments if they are given. */
export const approve = (tool_use_id: string, input?: object) => ({
  tool_use_id,
  decision: 'approve',
  ...(input && { input }),
})

/** A denial of a call. */
export const refuse = (tool_use_id: string, reason: string) => ({
  tool_use_id,
  decision: 'refuse',
  reason,
})

/** The results of tools in a stream. */
export const resultTexts = (stream: Pick<ReadStream, 'frames'>): string[] =>
  toMessages(stream)
    .filter(({ type }) => type === 'tool_result')
    .map(({ delta }) => delta)

/** The first end in a stream. */
export const endOf = (stream: Pick<ReadStream, 'frames'>): unknown => payloadOf(stream, 'meta_end')

/** The log of a session so far. */
export async function peek(server: ScriptedTestServer, session: string): Promise<ReadStream> {
  const { tail } = (await server.state(session)) as { tail: number }
  const response = await server.get(`/agent/${session}/stream?cursor=0`)
  return readStream(response, ({ frames }) => (frames.at(-1)?.id ?? 0) >= tail)
}

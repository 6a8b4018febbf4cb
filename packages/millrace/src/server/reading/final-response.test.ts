import { afterEach, expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import {
  readStream,
  type ReadStream,
  toMessages,
} from '../../../test/support/frames/read-stream.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { decodeEnvelope } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createTranscript, endTranscript, finalText } from '../../client/transcript/index.ts'
import { createHandler, type Handler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const answers: (string | undefined)[] = []
  const agent = createAgent({ name: 'miller', model: createScriptedModel(replies), ...options })
  const handler = createHandler({
    agents: { miller: agent },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    observers: [{ runEnded: ({ answer }) => void answers.push(answer) }],
  })
  handlers.push(handler)
  const ask = (path: string, body?: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return handler.fetch(new Request(`http://localhost/agent/${path}`, init))
  }
  return { ask, answers }
}

/** The final answer on a page and in the store of the server. */
async function answersOf(ask: (path: string) => Promise<Response>) {
  const log = toMessages(await readStream(await ask(`${session}/stream?cursor=0`)))
  const reduce = createFrameReducer()
  const shown = log.reduce((before, one) => reduce(before, one), createTranscript())
  const kept = (await (await ask(`${session}/conversations`)).json()) as {
    readonly conversations: readonly { readonly final_response: string }[]
  }
  return [finalText(endTranscript(shown)), kept.conversations[0]?.final_response]
}

test('[LIFE-15] a draft rejected by a check is not part of the answer', async () => {
  const { ask, answers } = open(
    [{ content: [text('Short.')] }, { content: [text('Long enough.')] }],
    {
      finalAnswerCheck: (answer) => answer.length > 8 || 'Say more.',
    },
  )
  await readStream(await ask('run', { agent_uuid: session, user_prompt: 'go' }))
  expect(await answersOf(ask)).toEqual(['Long enough.', 'Long enough.'])
  expect(answers).toEqual(['Long enough.'])
})

test('[LIFE-15] the answer of a stopped run is the text it has shown', async () => {
  const { ask, answers } = open([{ openBlock: text('Half'), hangs: 'until_aborted' }])
  const asked = await ask('run', { agent_uuid: session, user_prompt: 'go' })
  const said = ({ frames }: Pick<ReadStream, 'frames'>) =>
    frames
      .map(({ data }) => decodeEnvelope(data))
      .map(({ type, delta }) => type === 'text' && delta)
  await readStream(asked, (stream) => said(stream).filter(Boolean).join('') === 'Half')
  await ask(`${session}/stop`, {})
  expect(await answersOf(ask)).toEqual(['Half', 'Half'])
  expect(answers).toEqual(['Half'])
})

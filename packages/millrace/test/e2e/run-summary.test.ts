import { afterAll, expect, test } from 'vitest'
import { call, text } from '../support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../support/agents/family.ts'
import { payloadOf, readStream, toMessages } from '../support/frames/read-stream.ts'
import { createScriptedTestServers, scripted } from '../support/servers/scripted-server.ts'

const testServers = createScriptedTestServers()
afterAll(testServers.close)

const flag = 'stream_meta_history_and_tool_results'

test('[LIFE-9] each run has the full history of its session, and sub-agents only if requested for all', async () => {
  const { agent: child } = setUpChild([{ content: [text('dug')] }, { content: [text('dug')] }])
  const agent = scripted(
    [
      { content: [text('one.')] },
      { content: [spawn('t1')] },
      { content: [text('two.')] },
      { content: [spawn('t2')] },
      { content: [text('three.')] },
    ],
    { subagents: [child] },
  )
  const server = await testServers.open(agent)
  const session = crypto.randomUUID()
  const ask = async (user_prompt: string, history: boolean | 'all') =>
    readStream(
      await server.post('/agent/run', { agent_uuid: session, user_prompt, [flag]: history }),
    )
  const summaries = (stream: Awaited<ReturnType<typeof ask>>) =>
    toMessages(stream).filter(({ type }) => type === 'meta_final').length

  expect(summaries(await ask('one?', false))).toBe(0)
  const second = await ask('two?', true)
  expect(payloadOf(second, 'meta_init')).toMatchObject({
    message_history: [
      { content: [text('one?')] },
      { content: [text('one.')] },
      { content: [text('two?')] },
    ],
  })
  const { conversation_history: history } = payloadOf(second, 'meta_final') as {
    conversation_history: { content: unknown }[]
  }
  expect(history[0]).toMatchObject({ content: [text('one?')] })
  expect(history.at(-1)).toMatchObject({ content: [text('two.')] })
  expect(history).toHaveLength(6)
  expect(summaries(second)).toBe(1)
  expect(summaries(await ask('three?', 'all'))).toBe(2)
  server.settled()
})

test('[LIFE-9] a paused run has its summary after the answer, with everything before', async () => {
  const agent = scripted([{ content: [call('t1', 'confirm')] }, { content: [text('thanks')] }])
  const server = await testServers.open(agent)
  const session = crypto.randomUUID()
  const paused = await readStream(
    await server.post('/agent/run', { agent_uuid: session, user_prompt: 'go', [flag]: true }),
  )
  expect(payloadOf(paused, 'meta_final')).toBeUndefined()
  const rest = await readStream(
    await server.post('/agent/tool_results', {
      agent_uuid: session,
      tool_results: [{ tool_use_id: 't1', content: 'yes' }],
    }),
  )
  expect(payloadOf(rest, 'meta_final')).toMatchObject({
    conversation_history: [{ content: [text('go')] }, {}, {}, { content: [text('thanks')] }],
  })
  server.settled()
})

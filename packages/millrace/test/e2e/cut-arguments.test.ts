import { afterAll, expect, test } from 'vitest'
import { xmlToEnvelopes } from '../../src/legacy-xml/convert.ts'
import { readStream, toMessages } from '../support/frames/read-stream.ts'
import { createScriptedTestServers, scripted } from '../support/servers/scripted-server.ts'

const testServers = createScriptedTestServers()
afterAll(testServers.close)

const CUT = '{"path":"a.txt","content":"half'
const call = { type: 'tool_use', id: 't1', name: 'guarded', input: {}, inputText: CUT }

test('[ENV-5] arguments truncated by max_tokens reach every reader as the model wrote them, with a result that nothing ran', async () => {
  const server = await testServers.open(scripted([{ content: [call], stopReason: 'max_tokens' }]))
  const session = crypto.randomUUID()
  await readStream(await server.post('/agent/run', { agent_uuid: session, user_prompt: 'go' }))
  const read = async (query: string) =>
    readStream(await server.get(`/agent/${session}/stream?cursor=0&${query}`))
  const xml = [...xmlToEnvelopes((await read('format=xml')).frames.map(({ data }) => data))]
  const readings = [toMessages(await read('')), toMessages(await read('extensions=none')), xml]
  for (const messages of readings) {
    const said = messages.filter(({ id }) => id === 't1')
    expect(said.map(({ type }) => type)).toEqual(['tool_call', 'tool_result'])
    expect(said[0]).toMatchObject({ final: true, delta: CUT })
    expect(said[1]?.delta).toMatch(/not run/)
  }
  server.settled()
})

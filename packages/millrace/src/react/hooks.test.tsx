import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createScriptedServer } from '../../test/support/frames/scripted-server.ts'
import { createSession } from '../client/transport/http/http-session.ts'
import { useAgent } from './use-agent.ts'
import { usePendingTools } from './use-pending-tools.ts'
import { useTranscript } from './use-transcript.ts'
import type { Session } from '../client/index.ts'
import type { Transcript } from '../client/transcript/index.ts'

const agent = 'a'
const line = (type: string, payload: unknown) =>
  JSON.stringify({ type, agent, final: true, delta: JSON.stringify(payload) })

const paused = [
  line('meta_init', { user_query: 'hello', agent_uuid: agent }),
  line('awaiting_frontend_tools', [{ tool_use_id: 't1', name: 'pick', input: { n: 1 } }]),
  line('meta_end', { stop_reason: 'awaiting_frontend_tools' }),
]

const promptOf = (transcript: Transcript) => transcript.agents.at(0)?.runs.at(-1)?.prompt

function Page({ session }: { readonly session: Session }) {
  const { status, connection } = useAgent(session)
  const prompt = useTranscript(session, promptOf)
  const count = useTranscript(session).lastId
  const tools = usePendingTools(session)
  return (
    <p>{[status, connection.state, prompt, count, ...tools.map(({ name }) => name)].join(' ')}</p>
  )
}

test('the hooks render on a server, with an empty session and with one that was read', async () => {
  const server = createScriptedServer({ runs: [paused] })
  const session = createSession({ url: 'http://test', fetch: server.fetch })
  expect(renderToString(<Page session={session} />)).toBe('<p>idle idle  0</p>')
  await session.run('hello')
  expect(renderToString(<Page session={session} />)).toBe('<p>awaiting_tools idle hello 3 pick</p>')
})

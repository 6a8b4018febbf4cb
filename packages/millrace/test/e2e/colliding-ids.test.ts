import { afterEach, describe, expect, test } from 'vitest'
import { openThread } from '../support/protocols/ag-ui-thread.ts'
import { createFamily } from '../support/agents/approving-family.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { openChat } from '../support/protocols/ui-chat.ts'
import { sdkVersions, textOf } from '../support/protocols/ui-stream.ts'

let server: TestServer | undefined

/** A server whose two sub-agents wait for approval under one id of their models. */
async function open() {
  const commands: string[] = []
  const agents = { family: createFamily(commands) }
  server = await openTestServer({ agents, defaultAgent: 'family' })
  return { url: server.url, commands }
}

afterEach(async () => {
  await server?.close()
  expect([server?.violations, server?.errors]).toEqual([[], []])
})

interface Pending {
  readonly tool_use_id: string
  readonly input: { readonly command: string }
  readonly agent: string
}

async function pendingIn(url: string, session: string): Promise<readonly Pending[]> {
  const response = await fetch(`${url}/agent/${session}`)
  const { pending_approvals } = (await response.json()) as { pending_approvals: Pending[] }
  return pending_approvals
}

const post = (url: string, path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('[CALL-1] two sub-agents that wait under one id of their models', () => {
  test('over HTTP: each approval runs its own call, under the id of its agent too', async () => {
    const { url, commands } = await open()
    const session = crypto.randomUUID()
    await (await post(url, '/agent/run', { agent_uuid: session, user_prompt: 'go' })).text()
    const [remove, list] = await pendingIn(url, session)
    if (remove === undefined || list === undefined) throw new Error('Both must wait.')
    expect([remove.input.command, list.input.command]).toEqual(['rm -rf build', 'ls'])
    const approve = (agent_uuid: string, { tool_use_id }: Pending, agent?: string) =>
      post(url, '/agent/tool_approvals', {
        agent_uuid,
        approvals: [{ tool_use_id, decision: 'approve', ...(agent && { agent }) }],
      })
    expect((await approve(session, list, remove.agent)).status).toBe(409)
    expect(commands).toEqual([])
    await (await approve(list.agent, list)).text()
    expect(commands).toEqual(['ls'])
    expect(await pendingIn(url, session)).toMatchObject([{ tool_use_id: remove.tool_use_id }])
    await (await approve(session, remove, remove.agent)).text()
    expect(commands).toEqual(['ls', 'rm -rf build'])
    expect(await pendingIn(url, session)).toEqual([])
  })

  test.each(sdkVersions)('with useChat of the AI SDK %s', async (version) => {
    const { url, commands } = await open()
    const one = openChat(version, { url, goesOn: 'approvals' })
    await one.chat.sendMessage({ text: 'go' })
    const asked = one.chat.messages
      .at(-1)!
      .parts.filter(({ state }) => state === 'approval-requested')
    expect(new Set(asked.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    for (const part of asked) {
      const { command } = part['input'] as { command: string }
      const { id } = part['approval'] as { id: string }
      await one.chat.addToolApprovalResponse({ id, approved: command === 'ls' })
    }
    await expect.poll(() => textOf(one.chat.messages.at(-1)!)).toContain('Both are done.')
    expect(commands).toEqual(['ls'])
    await one.close()
  })

  test('with the HttpAgent of AG-UI', async () => {
    const { url, commands } = await open()
    const thread = openThread({ url })
    await thread.ask('go')
    const { pendingInterrupts } = thread.agent
    expect(new Set(pendingInterrupts.map(({ id }) => id)).size).toBe(2)
    const calls = await pendingIn(url, thread.session())
    const resume = pendingInterrupts.map(({ id, toolCallId }) => {
      const call = calls.find(({ tool_use_id: callId }) => callId === toolCallId)
      const approved = call?.input.command === 'ls'
      return { interruptId: id, status: 'resolved' as const, payload: { approved } }
    })
    await thread.agent.runAgent({ resume })
    expect(commands).toEqual(['ls'])
    expect(thread.text()).toContain('Both are done.')
    await thread.close()
  })
})

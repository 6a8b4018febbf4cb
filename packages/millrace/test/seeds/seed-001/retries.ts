import { expect } from 'vitest'
import { seedModes } from '../../support/frames/seed-reader.ts'
import { createSection } from '../support/seed-case.ts'
import { answer, ask, get } from '../support/seed-server.ts'
import { jsonOf, ofType } from '../support/messages.ts'

const handling = createSection('001', 'Frontend Handling')

for (const { name, query, read } of seedModes) {
  for (const prompt of ['overloaded once', 'cut once'])
    handling.works(
      `\`${name}\`: after a retry (${prompt}) a client shows the complete answer and the end.`,
      async () => {
        const { body, session } = await ask(prompt, { query: `?${query}` })
        const page = read(body)
        const blocks = page.agents.get(session) ?? []
        const last = blocks.findLast(({ type }) => type === 'text')
        expect(last?.content).toBe('The whole answer.')
        expect(blocks.filter(({ isDone }) => !isDone)).toEqual([])
        expect([page.errors, page.isDone]).toEqual([[], true])
      },
    )
  handling.works(`\`${name}\`: a later reader gets the answer once.`, async () => {
    const { session } = await ask('overloaded once')
    const { body } = await get(`/agent/${session}/stream?cursor=0&${query}`)
    const page = read(body)
    const texts = (page.agents.get(session) ?? []).filter(({ type }) => type === 'text')
    expect(texts.map(({ content }) => content)).toEqual(['The whole answer.'])
    expect(page.errors).toEqual([])
  })
  handling.works(
    `\`${name}\`: with \`settled=1\` a client never shows text that is tried again.`,
    async () => {
      const { body, session } = await ask('overloaded once', { query: `?settled=1&${query}` })
      const texts = (read(body).agents.get(session) ?? []).filter(({ type }) => type === 'text')
      expect(texts.map(({ content }) => content)).toEqual(['The whole answer.'])
    },
  )
}

const awaiting = createSection('001', '`awaiting_frontend_tools`')
awaiting.works(
  'A call of a sub-agent can be answered under the sub-agent’s `agent` id.',
  async () => {
    const { session, ...stream } = await ask('delegate a question', { query: '?extensions=none' })
    const [waiting] = ofType(stream.messages(), 'awaiting_frontend_tools')
    expect(waiting?.agent).not.toBe(session)
    const resumed = await answer(waiting?.agent ?? '', { toolu_09: 'yes' }, '?extensions=none')
    expect(resumed.status).toBe(200)
    const texts = ofType(resumed.messages(), 'text').map(({ delta }) => delta)
    expect(texts.join('')).toContain('Settled.')
    expect(() => jsonOf(resumed.messages(), 'error')).toThrow('no whole error')
  },
)

const base = createSection('001', 'Base Fields')
base.differs(
  '`agent` of a sub-agent is a UUID.',
  'It is the session’s UUID with a number behind it, so that answers under it find their session.',
  async () => {
    const { session, ...stream } = await ask('delegate', { query: '?extensions=none' })
    const agents = [...new Set(stream.messages().map(({ agent }) => agent))]
    const children = agents.filter((agent) => agent !== session)
    expect(children).toHaveLength(2)
    for (const child of children) expect(child.startsWith(`${session}.`)).toBe(true)
  },
)

/** Retries and sub-agents' questions for clients of seed 001. */
export const retryStatements = [base, handling, awaiting].flatMap(({ statements }) => statements)

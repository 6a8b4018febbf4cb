import { HttpAgent, type Message } from '@ag-ui/client'
import {
  createNotingFetch,
  type DecidingPage,
  type ForeignProtocol,
  orRefused,
  type Reading,
} from './foreign-client.ts'

/** `HttpAgent` of AG-UI. It resumes a run by repeating the same `runId`. */
export const agUi: ForeignProtocol = {
  name: 'AG-UI',
  create(prompt) {
    const { fetch, session } = createNotingFetch()
    const threadId = crypto.randomUUID()
    const runId = crypto.randomUUID()
    const asked: Message = { id: crypto.randomUUID(), role: 'user', content: prompt }
    let answered: HttpAgent | undefined
    const openAgent = (url: string, messages: Message[] = [asked]): HttpAgent =>
      new HttpAgent({
        url: `${url}/ag-ui`,
        threadId,
        initialMessages: messages,
        fetch: (target: string, init: RequestInit) => fetch(target, init),
      })
    const ask = async (url: string): Promise<Reading> => {
      const agent = openAgent(url)
      const reading = await run(agent, { runId })
      if (reading.isEnded) answered = agent
      return reading
    }
    const openPage = (isApproving: boolean): DecidingPage => {
      const [waiting] = answered?.pendingInterrupts ?? []
      if (answered === undefined || waiting === undefined)
        throw new Error('The answer asks for no approval.')
      const { messages, pendingInterrupts } = structuredClone({
        messages: answered.messages,
        pendingInterrupts: answered.pendingInterrupts,
      })
      const payload = { approved: isApproving }
      const resume = [{ interruptId: waiting.id, status: 'resolved' as const, payload }]
      const page = { runId: crypto.randomUUID(), resume }
      const decide = (url: string): Promise<Reading> => {
        const agent = openAgent(url, structuredClone(messages))
        agent.pendingInterrupts = pendingInterrupts
        return run(agent, page)
      }
      return { isApproving, decide: (url) => orRefused(decide(url)) }
    }
    const reload = (url: string): Promise<Reading> => run(openAgent(url, []), {})
    return { session, ask, reconnect: ask, reload, openPage }
  },
}

type RunParameters = NonNullable<Parameters<HttpAgent['runAgent']>[0]>

async function run(agent: HttpAgent, parameters: RunParameters): Promise<Reading> {
  let isEnded = false
  await agent.runAgent(parameters, { onRunFinishedEvent: () => void (isEnded = true) })
  return { text: textOf(agent.messages), isEnded }
}

function textOf(messages: readonly Message[]): string {
  return messages
    .flatMap(({ role, content }) =>
      role === 'assistant' && typeof content === 'string' ? content : [],
    )
    .join('')
}

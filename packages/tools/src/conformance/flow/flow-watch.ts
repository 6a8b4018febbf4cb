import { type Envelope, type JsonObject, createTranscript } from 'millrace'
import { createFrameReducer, toView } from 'millrace/testing'
import { differences } from '../differences.ts'
import { agentNamed, callIdOf, type CallReference } from './expectations/call-reference.ts'
import { createCollector } from './flow-found.ts'

/** Follows the log of a case through all its streams, each frame once. */
export interface FlowWatch {
  /** Starts again, with a session that has another log. */
  reset(): void
  /** Takes a frame of any stream. */
  push(id: number, line: string): void
  /** Resolves when an envelope like this has been read. */
  until(moment: JsonObject): Promise<void>
  lastId(): number
  /** Returns the id of an agent by its name; undefined if none was shown. */
  agent(name: string): string | undefined
  /** Returns the id of a call; undefined if none was shown. */
  call(reference: CallReference): string | undefined
}

interface Waiter {
  readonly isDue: (message: Envelope) => boolean
  readonly resolve: () => void
}

/** Creates a watch on the frames of a flow. */
export function createFlowWatch(): FlowWatch {
  let messages: Envelope[] = []
  const waiters = new Set<Waiter>()
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let text = ''

  const nameOf = (id: string): string | undefined =>
    [...transcript.agents].find((agent) => agent.id === id)?.name

  const openCollector = () =>
    createCollector((message) => {
      messages.push(message)
      if (message.type === 'text') text += message.delta
      for (const waiter of waiters) {
        if (!waiter.isDue(message)) continue
        waiters.delete(waiter)
        waiter.resolve()
      }
    })

  let collect = openCollector()

  const toCheck = (moment: JsonObject): Waiter['isDue'] => {
    const { agent_name: name, text_so_far: part, ...fields } = moment
    return (message) =>
      differences(fields, message).length === 0 &&
      (name === undefined || nameOf(message.agent) === name) &&
      (part === undefined || text.includes(String(part)))
  }

  return {
    reset: () => {
      transcript = createTranscript()
      collect = openCollector()
      messages = []
      text = ''
    },
    push: (id, line) => {
      const { lastId } = transcript
      transcript = reduce(transcript, line, id)
      if (transcript.lastId > lastId) collect(line)
    },
    until: (moment) =>
      new Promise((resolve) => {
        const isDue = toCheck(moment)
        if (messages.some(isDue)) resolve()
        else waiters.add({ isDue, resolve })
      }),
    lastId: () => transcript.lastId,
    agent: (name) => agentNamed(toView(transcript), name),
    call: (reference) => callIdOf(toView(transcript), reference),
  }
}

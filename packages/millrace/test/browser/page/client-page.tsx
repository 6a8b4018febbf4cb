import { createSession } from '../../../src/client/transport/http/http-session.ts'
import { createSharedSession } from '../../../src/client/transport/shared/create-shared-session.ts'
import { stopRun } from '../../../src/client/commands/control-run.ts'
import { serveTool } from '../../../src/client/frontend-tools/serve-tool.ts'
import { useAgent } from '../../../src/react/use-agent.ts'
import { useTranscript } from '../../../src/react/use-transcript.ts'
import type { Session } from '../../../src/client/index.ts'
import { finalText, rootAgent, type Transcript } from '../../../src/client/transcript/index.ts'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

/** The operations of a test on the page. */
export interface ClientPage {
  readonly share: (id: string, agent?: string) => void
  readonly ask: (prompt: string) => void
  readonly watch: () => void
  readonly stop: () => Promise<boolean>
  /** Serves the tool `measure`; without a result it never ends. */
  readonly serveTool: (result?: string) => void
  readonly look: () => {
    readonly lastId: number
    readonly status: string
    readonly text: string
    /** Whether this page has run its tool. */
    readonly hasRun: boolean
  }
  /** Streams this many deltas into a long conversation, and counts renders. */
  readonly countRenders: (history: number, deltas: number) => Promise<RenderCounts>
}

/** The number of renders of each part of the page. */
export interface RenderCounts {
  readonly frames: number
  readonly state: number
  readonly list: number
  /** The maximum number of renders of a past block. */
  readonly past: number
  readonly growing: number
  readonly text: string
}

const agent = 'a'
const line = (type: string, delta: string, final = true): string =>
  JSON.stringify({ type, agent, final, delta })

let shared: Session | undefined
let hasRun = false
const lengthOf = (transcript: Transcript): number => rootAgent(transcript)?.blocks.length ?? 0

function createCounted(session: Session) {
  const counts = new Map<number, number>()
  const shell = { state: 0, list: 0 }
  const State = () => {
    shell.state++
    return <p>{useAgent(session).status}</p>
  }
  const One = memo(({ position }: { readonly position: number }) => {
    counts.set(position, (counts.get(position) ?? 0) + 1)
    const block = useTranscript(session, (transcript) => rootAgent(transcript)?.blocks.at(position))
    return <p>{block?.type === 'text' ? block.text.length : ''}</p>
  })
  One.displayName = 'One'
  const List = () => {
    shell.list++
    const length = useTranscript(session, lengthOf)
    return Array.from({ length }, (_, position) => <One key={position} position={position} />)
  }
  return { counts, shell, State, List }
}

/** A stream of fifty chunks, one for each few frames. */
function createStreamFetch(history: number, deltas: number) {
  const encoder = new TextEncoder()
  let id = 0
  const frame = (data: string): string => `id: ${++id}\ndata: ${data}\n\n`
  return async (): Promise<Response> => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text))
        send(frame(line('meta_init', '{"user_query":"hello"}')))
        send(Array.from({ length: history }, (_, n) => frame(line('text', `${n}`))).join(''))
        for (let piece = 0; piece < 50; piece++) {
          await new Promise((resolve) => setTimeout(resolve, 8))
          for (let n = 0; n < deltas / 50; n++) send(frame(line('text', 'x', false)))
        }
        send(frame(line('text', '')) + frame(line('meta_end', '{"stop_reason":"end_turn"}')))
        send('data: [DONE]\n\n')
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

async function countRenders(history: number, deltas: number): Promise<RenderCounts> {
  const session = createSession({ url: '', fetch: createStreamFetch(history, deltas) })
  const { counts, shell, State, List } = createCounted(session)
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render([<State key="state" />, <List key="list" />])
  let frames = 0
  let isOver = false
  const tick = (): void => {
    frames++
    if (!isOver) requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
  await session.run('hello')
  await new Promise((resolve) => setTimeout(resolve, 300))
  isOver = true
  const past = Math.max(...Array.from({ length: history }, (_, n) => counts.get(n) ?? 0))
  const text = finalText(session.getSnapshot().transcript).slice(-deltas)
  return { frames, ...shell, past, growing: counts.get(history) ?? 0, text }
}

const api: ClientPage = {
  share(id, agent = 'demo') {
    const runFields = { agent_type: agent }
    shared = createSharedSession({ url: location.origin, session: id, runFields })
  },
  ask: (prompt) => void shared?.run(prompt),
  watch: () => void shared?.watch(),
  stop: () => stopRun(shared!),
  serveTool(result) {
    const run = () => {
      hasRun = true
      return result ?? new Promise<never>(() => {})
    }
    serveTool(shared!, { name: 'measure', run })
  },
  look() {
    const { transcript } = shared!.getSnapshot()
    const { lastId, status } = transcript
    return { lastId, status, text: finalText(transcript), hasRun }
  },
  countRenders,
}

Object.assign(globalThis, { clientPage: api })

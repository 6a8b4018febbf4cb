import type { Session } from '../../../src/client/index.ts'
import { createSession } from '../../../src/client/transport/http/http-session.ts'
import type { Frame } from '../../../src/client/session.ts'
import { createVerifier } from '../../../src/events/index.ts'
import { isJsonObject, type JsonObject } from '../../../src/json/index.ts'
import { type Block, rootAgent, type Transcript } from '../../../src/client/transcript/index.ts'
import { type FaultedMill, GO_ON } from './faulted-mill.ts'

/** The options of a run of a mill. */
export interface MillRun {
  readonly mill: FaultedMill
  readonly prompt: string
  readonly agentType?: 'patient' | 'hasty'
  readonly toolInput?: 'live' | 'buffered'
  /** The condition under which the run is stopped. */
  readonly stopWhen?: (seen: { readonly session: string; readonly shownChars: number }) => boolean
  /** The call that does not answer until it is stopped. */
  readonly hangingCall?: string
}

/** The final content of a client. */
export interface MillOutcome {
  readonly session: string
  readonly status: Transcript['status']
  readonly blocks: readonly Block[]
  /** The content of `meta_end`. */
  readonly end: JsonObject
  /** The calls that were run. */
  readonly ran: readonly string[]
  /** The answer to the next prompt of the user. */
  readonly next: string
  /** Rules of the protocol that the stream broke. */
  readonly broken: readonly string[]
}

/** Sends a prompt, reads like a client, stops on request, and continues afterwards. */
export async function playMill(run: MillRun): Promise<MillOutcome> {
  const { mill, prompt, agentType = 'patient', toolInput = 'buffered', hangingCall } = run
  const frames: Frame[] = []
  const client = createSession({
    url: mill.url,
    runFields: { agent_type: agentType, tool_input: toolInput },
    onFrame: (frame) => frames.push(frame),
  })
  if (hangingCall !== undefined) mill.hanging.set(client.id, hangingCall)
  try {
    await Promise.all([client.run(prompt), stopInTime(run, client)])
    const { status, blocks, end } = look(client)
    const ran = [...(mill.runs.get(client.id) ?? [])]
    await client.run(GO_ON)
    const next = look(client).blocks.at(-1)
    return {
      session: client.id,
      status,
      blocks,
      end,
      ran,
      next: next?.type === 'text' ? next.text : String(next?.type),
      broken: verify(frames),
    }
  } finally {
    client.close()
  }
}

/** The part of the transcript that the last run has shown. */
function look(client: Session) {
  const { transcript } = client.getSnapshot()
  const root = rootAgent(transcript)
  const run = root?.runs.at(-1)
  const blocks = [...(root?.blocks ?? [])].slice(run?.firstBlock ?? 0)
  return { status: transcript.status, blocks, end: run?.end ?? {} }
}

/** The part of a model's text that a client shows. */
function shownChars(client: Session): number {
  return look(client)
    .blocks.map((block) => (block.type === 'error' ? 0 : block.text.length))
    .reduce((sum, length) => sum + length, 0)
}

async function stopInTime({ stopWhen, mill }: MillRun, client: Session): Promise<void> {
  if (stopWhen === undefined) return
  const isDue = (): boolean => stopWhen({ session: client.id, shownChars: shownChars(client) })
  while (!isDue()) await new Promise((resolve) => setTimeout(resolve, 2))
  const response = await fetch(`${mill.url}/agent/${client.id}/stop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const answer: unknown = await response.json()
  if (!isJsonObject(answer) || answer['stopped'] !== true)
    throw new Error(`It could not be stopped: ${JSON.stringify(answer)}`)
}

function verify(frames: readonly Frame[]): string[] {
  const verifier = createVerifier()
  const lines = frames.filter(({ data }) => data !== '[DONE]')
  const violations = lines.flatMap(({ data, id }) => verifier.push(data, id))
  const isDone = frames.at(-1)?.data === '[DONE]'
  return [...violations, ...verifier.end(isDone)].map(({ rule, message }) => `${rule} ${message}`)
}
